// Authorization code with PKCE (RFC 7636) at an OpenID provider, as a public client.

import {decoded, randomText, sha256} from "./encoding.js";
import {AuthError, failed} from "./errors.js";

const json = async (fetch, url, body) => {
    const response = await fetch(url, body && {method: "POST", body}).catch(failed("OFFLINE"));
    const answer = await response.json().catch(failed("GATEWAY"));
    if (response.ok) return answer;
    throw refused(answer.error, answer.error_description);
};

const refused = (reason, message) => new AuthError("AUTHORIZATION_FAILED", message, {reason});

/** The URL to send the browser to. The state survives the way there and back in `storage`. */
export async function begin({nonce}, {fetch, storage}, flow) {
    const {issuer, clientId, redirectUri, scope = "openid email"} = flow;
    const discovered = await json(fetch, `${issuer}/.well-known/openid-configuration`);
    if (discovered.issuer !== issuer) throw new AuthError("WRONG_ISSUER");
    const state = randomText();
    const verifier = randomText();
    storage.setItem(`latchkey ${state}`, JSON.stringify({
        ...flow, nonce, verifier, until: Date.now() + 600_000,      // 10 minutes
        token: discovered.token_endpoint,
        isNamed: discovered.authorization_response_iss_parameter_supported,
    }));
    const url = new URL(discovered.authorization_endpoint);
    for (const [name, value] of Object.entries({
        response_type: "code", client_id: clientId, redirect_uri: redirectUri, scope, state, nonce,
        code_challenge: await sha256(verifier), code_challenge_method: "S256",
    })) url.searchParams.set(name, value);
    return url.href;
}

/** The body of a sign-in, from the URL to which the provider sent the browser back. */
export async function complete({fetch, storage}, url) {
    const parameters = new URL(url).searchParams;
    const key = `latchkey ${parameters.get("state")}`;
    const flow = JSON.parse(storage.getItem(key));
    storage.removeItem(key);        // one use
    if (!flow || flow.until < Date.now()) throw new AuthError("WRONG_STATE");
    // RFC 9207: an answer of another provider.
    const issuer = parameters.get("iss");
    if (issuer ? issuer !== flow.issuer : flow.isNamed) throw new AuthError("WRONG_ISSUER");
    const code = parameters.get("code");
    if (!code) throw refused(parameters.get("error"), parameters.get("error_description"));
    const {id_token: idToken} = await json(fetch, flow.token, new URLSearchParams({
        grant_type: "authorization_code", code,
        redirect_uri: flow.redirectUri, client_id: flow.clientId, code_verifier: flow.verifier,
    }));
    // The nonce is ASCII.
    const claims = JSON.parse(decoded(idToken?.split(".")[1] ?? "e30"));
    if (claims.nonce !== flow.nonce) throw new AuthError("NONCE_MISMATCH");
    return {provider: flow.provider, idToken, nonce: flow.nonce};
}

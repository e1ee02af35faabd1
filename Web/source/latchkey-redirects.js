// Redirects to other pages and back: Latchkey's own pages, and OpenID providers. Uses an
// authorization code with PKCE (RFC 7636), as a public client. `latchkey.js` loads this module when
// it is first used.

import {decoded, randomText, sha256} from "./encoding.js";
import {AuthError} from "./latchkey.js";

const prefix = "latchkey flow ";
// The server's pages keep the app's address for the same time, because a user who registers has to
// wait for the mail.
const pageMinutesMax = 30;
const providerMinutesMax = 10;
const attemptsMax = 3;

const storageRefused = "This browser keeps nothing for the way back. Allow this site to store "
    + "data, and begin again.";
const wrongState = "This answer belongs to no sign-in that this browser began in the last minutes, "
    + "or it was used. Begin again.";

// The browser may come back in another tab, through the link in a mail, so sessionStorage is not
// enough. `localStorage` itself throws in a browser that refuses storage.
function inStorage(options, work) {
    try {
        return work(options.storage ?? localStorage);
    } catch (cause) {
        throw new AuthError("STORE_FAILED", {cause, message: storageRefused});
    }
}

const parsed = (text) => {
    try {
        return JSON.parse(text);
    } catch {
        return null;
    }
};
const isLive = (flow) => flow?.until > Date.now();

/** Stores the data for the redirect back, and returns the parameters of the request. */
async function begin(options, minutesMax, flow) {
    if (!globalThis.crypto?.subtle) throw new AuthError(
        "UNSUPPORTED", {message: "A redirect needs a page over https, or on localhost (PKCE)."});
    const state = randomText();
    const verifier = randomText();
    inStorage(options, (storage) => {
        for (const key of Object.keys(storage)) {
            if (key.startsWith(prefix) && !isLive(parsed(storage.getItem(key)))) {
                storage.removeItem(key);
            }
        }
        storage.setItem(prefix + state, JSON.stringify(
            {...flow, verifier, until: Date.now() + minutesMax * 60_000}));
    });
    return {
        response_type: "code", state, code_challenge: await sha256(verifier),
        code_challenge_method: "S256",
    };
}

/** The state that `begin` stored for this answer, with the answer's code. It can be used once. */
function end(options, parameters) {
    const key = prefix + parameters.get("state");
    const flow = inStorage(options, (storage) => {
        const text = storage.getItem(key);
        storage.removeItem(key);
        return parsed(text);
    });
    if (!isLive(flow)) throw new AuthError("WRONG_STATE", {message: wrongState});
    // RFC 9207: refuses an answer from another issuer. A trailing slash is ignored, because the
    // client removes it from its base address.
    const issuer = parameters.get("iss");
    const compared = (address) => address.replace(/\/$/, "");
    if (issuer ? compared(issuer) !== compared(flow.issuer) : flow.isNamed) throw new AuthError(
        "WRONG_ISSUER", {message: `The answer is from ${issuer}, not from ${flow.issuer}.`});
    const code = parameters.get("code");
    if (!code) throw refused(parameters.get("error"), parameters.get("error_description"));
    return {...flow, code};
}

const refused = (reason, text) => new AuthError("AUTHORIZATION_FAILED", {
    reason, message: text || `The sign-in was refused: ${reason}. Begin again.`});

const extended = (address, parameters) => {
    const url = new URL(address);
    for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value);
    return url.href;
};

// Latchkey's pages

/** The URL of a page that sends the browser back to `returnTo`, which must be in `UI_RETURN`. */
export async function toPage(base, options, flow = {}) {
    const {page = "signin", returnTo = location.href.replace(/[?#].*/, "")} = flow;
    // The server compares the address with its list byte by byte, so an absolute address is not
    // changed.
    const address = /^[\w+.-]+:/.test(returnTo) ? returnTo : new URL(returnTo, location.href).href;
    return extended(`${base}/auth/ui/${page}`, {
        ...await begin(options, pageMinutesMax, {issuer: base, isNamed: true}),
        redirect_uri: address,
    });
}

/**
 * Opens the session. The code is removed from the address bar first, so that a reload does not use
 * it again.
 */
export async function fromPage(options, url, open) {
    const cleaned = new URL(url);
    const parameters = new URLSearchParams(cleaned.search);
    for (const name of ["code", "state", "iss", "error", "error_description"]) {
        cleaned.searchParams.delete(name);
    }
    if (globalThis.location?.href === url) history.replaceState(history.state, "", cleaned);
    const {code, verifier: codeVerifier} = end(options, parameters);
    // The code is valid for a minute, so the exchange is tried again after an outage of the server
    // or the network, but not if the server does not list this page's origin.
    for (let attempt = 1; ; attempt++) {
        try {
            return await open("/auth/ui/token", {code, codeVerifier});
        } catch (error) {
            const {code: kind, action, retryAfter = 0} = error;
            if (action !== "retry" || kind === "ORIGIN_REFUSED" || attempt >= attemptsMax
                || retryAfter > 8) throw error;
            await new Promise((done) => setTimeout(done, (retryAfter || attempt) * 1000));
        }
    }
}

// OpenID providers

const json = async (options, url, body) => {
    const failed = (code, message) => (cause) => {
        throw new AuthError(code, {cause, message, action: "retry"});
    };
    const response = await options.fetch(url, body && {method: "POST", body})
        .catch(failed("OFFLINE", `There is no answer from ${url}. Try again.`));
    const answer = await response.json().catch(
        failed("GATEWAY", `The answer of ${url} is not JSON.`));
    if (response.ok) return answer;
    throw refused(answer.error, answer.error_description);
};

/** The URL of the provider's page. */
export async function toProvider({nonce}, options, flow) {
    for (const name of ["provider", "issuer", "clientId", "redirectUri"]) {
        if (!flow?.[name]) throw new TypeError(`authorize: ${name} is missing`);
    }
    const {issuer, clientId, redirectUri, scope = "openid email"} = flow;
    const discovered = await json(options, `${issuer}/.well-known/openid-configuration`);
    if (discovered.issuer !== issuer) throw new AuthError(
        "WRONG_ISSUER", {message: `${issuer} says that it is ${discovered.issuer}.`});
    const parameters = await begin(options, providerMinutesMax, {
        ...flow, nonce, token: discovered.token_endpoint,
        isNamed: discovered.authorization_response_iss_parameter_supported,
    });
    return extended(discovered.authorization_endpoint, {
        ...parameters, client_id: clientId, redirect_uri: redirectUri, scope, nonce});
}

/** The body of a sign-in request, from the URL of the redirect back. */
export async function fromProvider(options, url) {
    const {code, token, redirectUri, clientId, verifier, nonce, provider} =
        end(options, new URL(url).searchParams);
    const {id_token: idToken} = await json(options, token, new URLSearchParams({
        grant_type: "authorization_code", code, redirect_uri: redirectUri, client_id: clientId,
        code_verifier: verifier,
    }));
    // The token is read as Latin-1, which is enough for the nonce.
    const claims = JSON.parse(decoded(idToken?.split(".")[1] ?? "e30"));
    if (claims.nonce !== nonce) throw new AuthError(
        "NONCE_MISMATCH", {message: "The ID token is not for this sign-in. Begin again."});
    return {provider, idToken, nonce};
}

// Tokens that the provider has signed, verified as a server of yours would.

import {Refusal} from "./oauth.js";

const decoded = (part) => Uint8Array.from(
    atob(part.replaceAll("-", "+").replaceAll("_", "/")), (letter) => letter.charCodeAt(0));
const json = (part) => JSON.parse(new TextDecoder().decode(decoded(part)));

const algorithms = {
    ES256: {name: "ECDSA", namedCurve: "P-256", hash: "SHA-256"},
    RS256: {name: "RSASSA-PKCS1-v1_5", hash: "SHA-256"},
};

/** The claims without verification: for a client that received the token directly. */
export const claimsOf = (token) => json(token.split(".")[1]);

/** Verifies a token of the given type, such as `at+jwt`, and returns its claims. */
export async function verified(token, type, issuer, now = Date.now()) {
    const [head, body, signature] = token.split(".");
    const [header, claims] = [json(head), json(body)];
    if (header.typ !== type) throw new Refusal("typ", `Not of the type ${type}.`);
    const {keys} = await (await fetch(`${issuer}/.well-known/jwks.json`)).json();
    const key = keys.find(({kid, alg}) => kid === header.kid && alg === header.alg);
    if (!key) throw new Refusal("kid", "Its key is not the provider's.");
    const algorithm = algorithms[key.alg];
    const isSigned = await crypto.subtle.verify(
        algorithm, await crypto.subtle.importKey("jwk", key, algorithm, false, ["verify"]),
        decoded(signature), new TextEncoder().encode(`${head}.${body}`));
    if (!isSigned) throw new Refusal("signature", "It is not signed by the provider.");
    if (claims.iss !== issuer) throw new Refusal("iss", "It is from another provider.");
    if (claims.exp * 1000 <= now) throw new Refusal("exp", "It has expired.");
    return claims;
}

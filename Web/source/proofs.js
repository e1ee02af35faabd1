// Proofs of possession (RFC 9449). The key cannot be exported, and is stored in IndexedDB.

import {base64url, randomText, sha256, utf8} from "./encoding.js";

const algorithm = {name: "ECDSA", namedCurve: "P-256", hash: "SHA-256"};

/** The key pair with this name. If there is none, the candidate is stored. */
export const findKey = (name, candidate) => globalThis.indexedDB ? new Promise((done, fail) => {
    const opening = indexedDB.open("latchkey");
    opening.onupgradeneeded = () => opening.result.createObjectStore("keys");
    opening.onerror = () => fail(opening.error);
    opening.onsuccess = () => {
        // A single transaction: if two tabs make a key, the second tab gets the key of the first.
        const keys = opening.result.transaction("keys", "readwrite").objectStore("keys");
        const getting = keys.get(name);
        getting.onerror = () => fail(getting.error);
        getting.onsuccess = () => {
            const pair = getting.result ?? candidate;
            if (pair) keys.put(pair, name);
            done(pair);
        };
    };
}) : candidate;

export const makeKey = () => crypto.subtle.generateKey(algorithm, false, ["sign"]);

/** A proof for one request at the given time in milliseconds. */
export async function prove(pair, method, url, time, accessToken) {
    const {crv, kty, x, y} = await crypto.subtle.exportKey("jwk", pair.publicKey);
    const text = [
        {typ: "dpop+jwt", alg: "ES256", jwk: {crv, kty, x, y}},
        {
            jti: randomText(), htm: method, htu: url.replace(/[?#].*/, ""),
            iat: Math.floor(time / 1000), ath: accessToken && await sha256(accessToken),
        },
    ].map((part) => base64url(utf8(JSON.stringify(part)))).join(".");
    return `${text}.${base64url(await crypto.subtle.sign(algorithm, pair.privateKey, utf8(text)))}`;
}

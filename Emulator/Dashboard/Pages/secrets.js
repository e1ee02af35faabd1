// Secrets are masked until somebody clicks on them: a screen may be seen by others.

import {button, h} from "./dom.js";

// A JWT, a refresh token, and members of JSON (also of JSON in JSON) whose names suggest secrets.
const token = /eyJ[\w-]{8,}\.[\w-]+\.[\w-]*|lkr_[\w-]{20,}/g;
const names = "password|passwordHash|refreshToken|accessToken|idToken|identityToken|token|code|"
    + "requestSecret|secret|secretAccessKey|sessionToken|authorization|cookie|secretString|"
    + "recoveryCodes?|proof|privateKey|masterKey|MASTER_KEY|AWS_SECRET_ACCESS_KEY|"
    + "AWS_SESSION_TOKEN|clientSecret|SecretString";
const member = new RegExp(`\\\\*"(?:${names})\\\\*"\\s*:\\s*\\\\*"([^"\\\\]{4,})`, "gi");

/** The parts of a text. Secret parts are buttons, and a click shows the secret. */
export function masked(text) {
    const found = [];
    for (const match of text.matchAll(token)) found.push([match.index, match[0]]);
    for (const match of text.matchAll(member)) {
        // The code of an error is not a secret.
        if (/^[A-Z][A-Z_]+$/.test(match[1])) continue;
        found.push([match.index + match[0].length - match[1].length, match[1]]);
    }
    found.sort(([left], [right]) => left - right);
    const parts = [];
    let end = 0;
    for (const [start, secret] of found) {
        if (start < end) continue;
        parts.push(text.slice(end, start), veil(secret));
        end = start + secret.length;
    }
    parts.push(text.slice(end));
    return parts;
}

/** A secret, masked. */
export function veil(secret) {
    return button(`••••${secret.length > 12 ? secret.slice(-4) : ""}`, ({currentTarget}) => {
        currentTarget.replaceWith(h("mark", {}, secret));
    }, {className: "veil", ariaLabel: "Show the secret", title: "Show the secret"});
}

/** The tokens in a text, each once. */
export const tokens = (text) => [...new Set([...text.matchAll(token)].map(([found]) => found))];

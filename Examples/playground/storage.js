// Objects in S3 with the user's own credentials, signed by the browser (Signature Version 4:
// https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_sigv.html).

const bytes = (text) => new TextEncoder().encode(text);
const hex = (buffer) => [...new Uint8Array(buffer)]
    .map((byte) => byte.toString(16).padStart(2, "0")).join("");
const sha256 = async (text) => hex(await crypto.subtle.digest("SHA-256", bytes(text)));
const encoded = (key) => key.split("/").map((part) => encodeURIComponent(part)
    .replace(/[!'()*]/g, (c) => `%${c.charCodeAt(0).toString(16).toUpperCase()}`)).join("/");

// The header that names a trace. Any client may choose the name for its request.
const traceHeader = () => {
    const digits = hex(crypto.getRandomValues(new Uint8Array(16)));
    return `Root=1-${digits.slice(0, 8)}-${digits.slice(8)}`;
};

async function hmac(key, text) {
    const algorithm = {name: "HMAC", hash: "SHA-256"};
    const imported = await crypto.subtle.importKey("raw", key, algorithm, false, ["sign"]);
    return crypto.subtle.sign(algorithm, imported, bytes(text));
}

export class Storage {
    #fetch;
    #grant;
    #endpoint;

    /** @param grant the answer of `POST /auth/credentials` */
    constructor(fetch, grant, endpoint) {
        this.#fetch = fetch;
        this.#grant = grant;
        this.#endpoint = grant.endpoint ?? endpoint;
    }

    get prefix() { return this.#grant.prefix; }
    get expiration() { return this.#grant.credentials.expiration; }

    put(key, body) { return this.#send("PUT", key, body); }
    get(key) { return this.#send("GET", key); }

    async #send(method, key, body) {
        const {bucket, region, credentials} = this.#grant;
        const url = new URL(`${this.#endpoint}/${bucket}/${encoded(key)}`);
        const now = new Date().toISOString().replace(/[-:]|\.\d+/g, "");
        const signed = {
            host: url.host, "x-amz-content-sha256": "UNSIGNED-PAYLOAD", "x-amz-date": now,
            "x-amz-security-token": credentials.sessionToken,
        };
        const names = Object.keys(signed).join(";");
        const canonical = [
            method, url.pathname, "", ...Object.entries(signed).map((pair) => pair.join(":")), "",
            names, "UNSIGNED-PAYLOAD",
        ].join("\n");
        const parts = [now.slice(0, 8), region, "s3", "aws4_request"];
        const scope = parts.join("/");
        let secret = bytes(`AWS4${credentials.secretAccessKey}`);
        for (const part of parts) secret = await hmac(secret, part);
        const text = ["AWS4-HMAC-SHA256", now, scope, await sha256(canonical)].join("\n");
        const {host, ...headers} = signed;
        headers["X-Amzn-Trace-Id"] = traceHeader();
        headers.Authorization =
            `AWS4-HMAC-SHA256 Credential=${credentials.accessKeyId}/${scope}, `
            + `SignedHeaders=${names}, Signature=${hex(await hmac(secret, text))}`;
        if (body) headers["Content-Type"] = body.type || "application/octet-stream";
        return this.#fetch(url, {method, headers, body});
    }
}

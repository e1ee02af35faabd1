// A client of the provider (OAuth 2.1), written by hand. In an app, a library does this.

const encoded = (bytes) => btoa(String.fromCharCode(...new Uint8Array(bytes)))
    .replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
const random = () => encoded(crypto.getRandomValues(new Uint8Array(32)));

/** A refusal by the provider, or by a server that accepts tokens. */
export class Refusal extends Error {
    constructor(code, message) {
        super(message);
        this.code = code;
    }
}

const hashed = async (text) =>
    encoded(await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text)));

/** A key to which tokens are bound (RFC 9449), so that stolen tokens are of no use without it. */
export class ProofKey {
    constructor(jwk) { this.jwk = jwk; }

    static async made() {
        const {privateKey} = await crypto.subtle.generateKey(algorithm, true, ["sign"]);
        return new ProofKey(await crypto.subtle.exportKey("jwk", privateKey));
    }

    /** A proof for one request, and for the access token in it. */
    async proof(htm, htu, token) {
        const {kty, crv, x, y} = this.jwk;
        const parts = [
            {typ: "dpop+jwt", alg: "ES256", jwk: {kty, crv, x, y}},
            {
                htm, htu, jti: random(), iat: Math.floor(Date.now() / 1000),
                ...(token && {ath: await hashed(token)}),
            },
        ];
        const text = parts.map((part) => encoded(new TextEncoder().encode(JSON.stringify(part))))
            .join(".");
        const key = await crypto.subtle.importKey("jwk", this.jwk, algorithm, false, ["sign"]);
        const signature = await crypto.subtle.sign(
            {...algorithm, hash: "SHA-256"}, key, new TextEncoder().encode(text));
        return `${text}.${encoded(signature)}`;
    }
}

const algorithm = {name: "ECDSA", namedCurve: "P-256"};

export class Client {
    #issuer;
    #fetch;

    /**
     * - key: the key to which the client's tokens are bound. pushes: whether the client uses pushed
     *   authorization requests.
     */
    constructor({id, secret, redirectUri, issuer, fetch, key, pushes}) {
        Object.assign(this, {id, secret, redirectUri, key, pushes});
        this.#issuer = issuer;
        this.#fetch = fetch;
    }

    /** The URL to send the browser to, and the values to store until the browser comes back. */
    async authorization({scope, resources = []}) {
        const [verifier, state] = [random(), random()];
        let request = new URLSearchParams({
            redirect_uri: this.redirectUri, response_type: "code", scope, state,
            code_challenge: await hashed(verifier), code_challenge_method: "S256",
        });
        for (const resource of resources) request.append("resource", resource);
        if (this.pushes) {
            // A pushed request keeps its parameters out of the address (RFC 9126).
            const {request_uri} = await this.#post("par", request);
            request = new URLSearchParams({request_uri});
        }
        return {url: this.page(request), request: `${request}`, verifier, state};
    }

    /** The URL of the provider's page for a request. */
    page(request) {
        return `${this.#issuer}/oauth/authorize?client_id=${this.id}&${request}`;
    }

    /** The code in the URL to which the browser came back. */
    code(url, state) {
        const answer = url.searchParams;
        if (answer.get("state") !== state) throw new Refusal("state", "Nobody here asked for it.");
        if (answer.get("iss") !== this.#issuer) throw new Refusal("iss", "Another server answers.");
        if (answer.has("error")) {
            throw new Refusal(answer.get("error"), answer.get("error_description"));
        }
        return answer.get("code");
    }

    redeem(code, verifier, fields = {}) {
        return this.#token({
            grant_type: "authorization_code", code, code_verifier: verifier,
            redirect_uri: this.redirectUri, ...fields,
        });
    }

    refresh(token, fields = {}) {
        return this.#token({grant_type: "refresh_token", refresh_token: token, ...fields});
    }

    /** Gets the codes for a device without a keyboard (RFC 8628). */
    begin({scope}) { return this.#post("device_authorization", {scope}); }

    /** Gets the device's tokens, once a person has allowed the request. */
    poll(code) {
        return this.#token({
            grant_type: "urn:ietf:params:oauth:grant-type:device_code", device_code: code,
        });
    }

    /** Gets an access token for the client itself, without a user. */
    own(fields) { return this.#token({grant_type: "client_credentials", ...fields}); }

    /** Exchanges a token that this server has received for a token to another server (RFC 8693). */
    exchange(token, fields) {
        return this.#token({
            grant_type: "urn:ietf:params:oauth:grant-type:token-exchange", subject_token: token,
            subject_token_type: "urn:ietf:params:oauth:token-type:access_token", ...fields,
        });
    }

    revoke(token) { return this.#post("revoke", {token}); }

    /**
     * The URL at which the browser signs out of the session of an ID token, and then comes back.
     */
    logout(hint) {
        const query = new URLSearchParams({
            id_token_hint: hint, post_logout_redirect_uri: this.redirectUri});
        return `${this.#issuer}/oauth/logout?${query}`;
    }

    /** Gets the claims of the user. */
    async user(token) {
        const url = `${this.#issuer}/oauth/userinfo`;
        const headers = this.key
            ? {Authorization: `DPoP ${token}`, DPoP: await this.key.proof("GET", url, token)}
            : {Authorization: `Bearer ${token}`};
        return answered(await this.#fetch(url, {headers}));
    }

    #token(fields) { return this.#post("token", fields); }

    async #post(endpoint, fields) {
        const headers = {"Content-Type": "application/x-www-form-urlencoded"};
        const body = new URLSearchParams(fields);
        if (this.secret) headers.Authorization = `Basic ${btoa(`${this.id}:${this.secret}`)}`;
        else body.append("client_id", this.id);
        const url = `${this.#issuer}/oauth/${endpoint}`;
        if (this.key && endpoint === "token") headers.DPoP = await this.key.proof("POST", url);
        return answered(await this.#fetch(url, {method: "POST", headers, body: `${body}`}));
    }
}

/** Registers a new client (RFC 7591). */
export async function registered({name, redirectUri, issuer, fetch}) {
    const {client_id: id} = await answered(await fetch(`${issuer}/oauth/register`, {
        method: "POST", headers: {"Content-Type": "application/json"},
        body: JSON.stringify({
            client_name: name, redirect_uris: [redirectUri], token_endpoint_auth_method: "none",
            grant_types: ["authorization_code", "refresh_token"],
        }),
    }));
    return id;
}

/** The JSON of a response. Throws for a refusal. */
export async function answered(response) {
    const text = await response.text();
    const body = text ? JSON.parse(text) : {};
    if (response.ok) return body;
    const {code, message} = body.error?.code ? body.error : {
        code: body.error ?? response.status, message: body.error_description ?? "",
    };
    throw new Refusal(code, message);
}

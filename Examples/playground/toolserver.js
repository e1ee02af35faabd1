// An MCP server that this page plays: it verifies its tokens as a server of yours would.

const decoded = (part) => Uint8Array.from(
    atob(part.replaceAll("-", "+").replaceAll("_", "/")), (letter) => letter.charCodeAt(0));
const json = (part) => JSON.parse(new TextDecoder().decode(decoded(part)));

const algorithms = {
    ES256: {name: "ECDSA", namedCurve: "P-256", hash: "SHA-256"},
    RS256: {name: "RSASSA-PKCS1-v1_5", hash: "SHA-256"},
};

export class ToolServer {
    #issuer;
    #metadata;          // where a client learns whom to ask for tokens (RFC 9728)

    constructor(url, issuer) {
        this.url = url;
        this.#issuer = issuer;
        const {origin, pathname} = new URL(url);
        this.#metadata = `${origin}/.well-known/oauth-protected-resource${pathname}`;
    }

    answers(url) { return url === this.url || url === this.#metadata; }

    async answer(request) {
        if (request.url === this.#metadata) {
            return Response.json({
                resource: this.url, authorization_servers: [this.#issuer],
                scopes_supported: ["photos:count"], bearer_methods_supported: ["header"],
            });
        }
        const token = request.headers.get("Authorization")?.replace(/^Bearer /, "");
        const claims = token && await this.#verified(token).catch(() => undefined);
        if (!claims) return this.#refusal(401, token && "invalid_token");
        if (!claims.scope.split(" ").includes("photos:count")) {
            return this.#refusal(403, "insufficient_scope");
        }
        const {id, method} = await request.json();
        const result = method === "tools/call"
            ? {content: [{type: "text", text: "3 photos"}]}
            : {tools: [{name: "count_photos", inputSchema: {type: "object"}}]};
        return Response.json({jsonrpc: "2.0", id, result});
    }

    /** RFC 9068 section 4. */
    async #verified(token) {
        const [head, body, signature] = token.split(".");
        const [header, claims] = [json(head), json(body)];
        const {keys} = await (await fetch(`${this.#issuer}/.well-known/jwks.json`)).json();
        const key = keys.find(({kid, alg}) => kid === header.kid && alg === header.alg);
        const algorithm = algorithms[key.alg];
        const isSigned = await crypto.subtle.verify(
            algorithm, await crypto.subtle.importKey("jwk", key, algorithm, false, ["verify"]),
            decoded(signature), new TextEncoder().encode(`${head}.${body}`));
        const isGood = isSigned && header.typ === "at+jwt" && claims.iss === this.#issuer
            && claims.aud === this.url && claims.exp * 1000 > Date.now();
        return isGood ? claims : undefined;
    }

    #refusal(status, error) {
        const challenge = [`Bearer resource_metadata="${this.#metadata}"`, 'scope="photos:count"'];
        if (error) challenge.push(`error="${error}"`);
        return Response.json({error: error ?? "no_token"}, {
            status, headers: {"WWW-Authenticate": challenge.join(", ")},
        });
    }
}

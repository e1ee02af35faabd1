// Servers that this page simulates: an MCP server, and a photo server that the MCP server calls.
// They check tokens as your own servers would.

import {verified} from "./jwt.js";
import {answered, Client, Refusal} from "./oauth.js";

/**
 * The provider's list of ended sessions (docs/revocations.md): their tokens are refused before they
 * expire.
 */
class Revocations {
    #issuer;
    #list;
    #asked = 0;

    constructor(issuer) { this.#issuer = issuer; }

    /**
     * Fetches the list at most once in two seconds. The browser caches it according to `max-age`.
     */
    async hasEnded({sid, epoch, sub, client_id: client, iat, latchkey_ends_with: more = []}) {
        if (Date.now() - this.#asked >= 2000) {
            this.#asked = Date.now();
            const response = await fetch(`${this.#issuer}/oauth/revocations`);
            this.#list = await verified(await response.text(), "revocations+jwt", this.#issuer);
        }
        const {ended, epochs, clients, complete} = this.#list;
        // If the list is incomplete, your own server would introspect the token instead.
        return !complete || iat <= (clients[client] ?? 0)
            // The token of a program that acts for itself has no session.
            || sub !== client && (epoch < (epochs[sub] ?? 0)
                || [sid, ...more].some((id) => ended.includes(id)));
    }
}

/** Accepts tokens for this server that have one scope. */
class ProtectedServer {
    #revocations;

    constructor(url, scope, issuer) {
        Object.assign(this, {url, scope, issuer});
        this.#revocations = new Revocations(issuer);
        const {origin, pathname} = new URL(url);
        // The metadata with which a client finds the provider (RFC 9728).
        this.metadata = `${origin}/.well-known/oauth-protected-resource${pathname}`;
    }

    answers(url) { return url === this.url || url === this.metadata; }

    /** - fetch: sends the server's own requests. */
    async answer(request, fetch) {
        if (request.url === this.metadata) {
            return Response.json({
                resource: this.url, authorization_servers: [this.issuer],
                scopes_supported: [this.scope], bearer_methods_supported: ["header"],
            });
        }
        const token = request.headers.get("Authorization")?.replace(/^Bearer /, "");
        const claims = token && await this.#checked(token).catch(() => undefined);
        if (!claims) return this.#refusal(401, token && "invalid_token");
        if (!claims.scope.split(" ").includes(this.scope)) {
            return this.#refusal(403, "insufficient_scope");
        }
        return Response.json(await this.serve(await request.json(), token, fetch));
    }

    /** Verifies the token (RFC 9068 section 4). */
    async #checked(token) {
        const claims = await verified(token, "at+jwt", this.issuer);
        // A token that is bound to a key needs a proof, which this server does not verify.
        const isGood = claims.aud === this.url && !claims.cnf
            && !await this.#revocations.hasEnded(claims);
        return isGood ? claims : undefined;
    }

    #refusal(status, error) {
        const challenge = [`Bearer resource_metadata="${this.metadata}"`, `scope="${this.scope}"`];
        if (error) challenge.push(`error="${error}"`);
        return Response.json({error: error ?? "no_token"}, {
            status, headers: {"WWW-Authenticate": challenge.join(", ")},
        });
    }
}

export class Shelf extends ProtectedServer {
    serve() { return {photos: ["Alps", "Sea", "Ada's cat"]}; }
}

export class ToolServer extends ProtectedServer {
    #shelf;
    #client;

    /** - client: the ID and secret of this server at the provider. */
    constructor(url, scope, issuer, shelf, client) {
        super(url, scope, issuer);
        this.#shelf = shelf;
        this.#client = client;
    }

    async serve({id, method, params}, token, fetch) {
        if (method === "tools/list") return this.#result(id, {tools: [
            {name: "count_photos", inputSchema: {type: "object"}},
            {name: "list_photos", inputSchema: {type: "object"}},
        ]});
        if (params?.name !== "list_photos") return this.#said(id, "3 photos");
        try {
            return this.#said(id, await this.#photos(token, params.arguments?.scope, fetch));
        } catch (error) {
            if (!(error instanceof Refusal)) throw error;
            const message = `${error.code}: ${error.message}`;
            return {jsonrpc: "2.0", id, error: {code: -32000, message}};
        }
    }

    /**
     * The agent's token is not for the photo server, so it is exchanged for one that is (RFC 8693).
     */
    async #photos(token, scope = this.#shelf.scope, fetch) {
        const client = new Client({...this.#client, issuer: this.issuer, fetch});
        const exchanged = await client.exchange(token, {resource: this.#shelf.url, scope});
        const {photos} = await answered(await fetch(this.#shelf.url, {
            method: "POST", body: "{}", headers: {
                "Content-Type": "application/json",
                Authorization: `Bearer ${exchanged.access_token}`,
            },
        }));
        return photos.join(", ");
    }

    #said(id, text) { return this.#result(id, {content: [{type: "text", text}]}); }
    #result(id, result) { return {jsonrpc: "2.0", id, result}; }
}

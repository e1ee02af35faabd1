import assert from "node:assert/strict";
import {createHash} from "node:crypto";
import {test} from "node:test";
import {AuthError, Latchkey} from "../../Web/latchkey.js";
import {base, moveClock, Server, Store} from "./server.js";

const issuer = "https://id.example.com";
const code = (wanted) => (error) => error instanceof AuthError && error.code === wanted;
const encoded = (value) => Buffer.from(JSON.stringify(value)).toString("base64url");
const answer = (body, status) => new Response(JSON.stringify(body), {status: status ?? 200});
const flow = {
    provider: "acme", issuer, clientId: "app", redirectUri: "https://app.example.com/back",
};

/** A client, and a provider that answers the token endpoint with `tokens`. */
function prepared(discovered, tokens) {
    const server = new Server();
    const state = {server, storage: new Store(), exchanges: [], nonce: "nonce-1"};
    server.before = ({path, body}) => {
        switch (path) {
        case "/.well-known/openid-configuration": return answer({
            issuer, authorization_endpoint: `${issuer}/authorize?tenant=a`,
            token_endpoint: `${issuer}/token`, ...discovered});
        case "/auth/challenge": return answer({nonce: state.nonce, expiresIn: 300});
        case "/token":
            state.exchanges.push(new URLSearchParams(body));
            return tokens?.() ?? answer({
                id_token: `e30.${encoded({nonce: state.nonce, name: "Ærøskøbing"})}.x`});
        case "/auth/signin": return answer(server.issue("ada"));
        default: return undefined;
        }
    };
    state.auth = new Latchkey(base, {fetch: server.fetch, storage: state.storage});
    return state;
}

const back = (url, more) => {
    const state = new URL(url).searchParams.get("state");
    return `${flow.redirectUri}?${new URLSearchParams({state, code: "code-1", ...more})}`;
};

test("a code signs in, with PKCE, state and nonce", async () => {
    const {auth, server, exchanges, storage} = prepared();
    const url = new URL(await auth.authorize({...flow, scope: "openid"}));
    const {state, code_challenge: challenge, ...rest} = Object.fromEntries(url.searchParams);
    assert.equal(url.origin + url.pathname, `${issuer}/authorize`);
    assert.deepEqual(rest, {
        tenant: "a", response_type: "code", client_id: "app", redirect_uri: flow.redirectUri,
        scope: "openid", nonce: "nonce-1", code_challenge_method: "S256"});
    assert.match(state, /^[\w-]{43}$/);
    assert.ok(!url.href.includes(JSON.parse([...storage.items.values()][0]).verifier));

    await auth.authorized(back(url));
    assert.equal(auth.user.id, "ada");
    const {code_verifier: verifier, ...sent} = Object.fromEntries(exchanges[0]);
    assert.deepEqual(sent, {
        grant_type: "authorization_code", code: "code-1", redirect_uri: flow.redirectUri,
        client_id: "app"});
    assert.equal(createHash("sha256").update(verifier).digest("base64url"), challenge);
    const {provider, nonce} = server.requests.at(-1).body;
    assert.deepEqual([provider, nonce], ["acme", "nonce-1"]);
    auth.close();
});

test("a missing argument is named", async () => {
    const {auth} = prepared();
    await assert.rejects(auth.authorize(), {message: "authorize: provider is missing"});
    for (const name of Object.keys(flow)) {
        await assert.rejects(
            auth.authorize({...flow, [name]: undefined}),
            {name: "TypeError", message: `authorize: ${name} is missing`});
    }
    auth.close();
});

test("an answer is good once, and for ten minutes", async (t) => {
    const {auth, exchanges, storage} = prepared();
    const url = await auth.authorize(flow);
    await auth.authorized(back(url));
    await assert.rejects(auth.authorized(back(url)), code("WRONG_STATE"));
    assert.equal(storage.items.size, 0);
    const late = await auth.authorize(flow);
    moveClock(t, 601_000);
    await assert.rejects(auth.authorized(back(late)), code("WRONG_STATE"));
    assert.equal(exchanges.length, 1);
    auth.close();
});

test("an answer to nobody's request is refused", async () => {
    const {auth, exchanges} = prepared();
    for (const more of ["", "?code=x", "?code=x&state=", "?code=x&state=guess"]) {
        await assert.rejects(auth.authorized(flow.redirectUri + more), code("WRONG_STATE"));
    }
    assert.equal(exchanges.length, 0);
    auth.close();
});

test("an answer of another provider is refused (RFC 9207)", async () => {
    const {auth, exchanges} = prepared({authorization_response_iss_parameter_supported: true});
    for (const more of [{iss: "https://evil.example"}, {}]) {
        const url = await auth.authorize(flow);
        await assert.rejects(auth.authorized(back(url, more)), code("WRONG_ISSUER"));
    }
    assert.equal(exchanges.length, 0);
    await auth.authorized(back(await auth.authorize(flow), {iss: issuer}));
    const other = prepared({issuer: "https://evil.example"});
    await assert.rejects(other.auth.authorize(flow), code("WRONG_ISSUER"));
    auth.close();
    other.auth.close();
});

test("a token with another nonce, or none, is refused", async () => {
    for (const claims of [{nonce: "other"}, {}]) {
        const {auth, server} = prepared({}, () => answer({id_token: `e30.${encoded(claims)}.x`}));
        const url = await auth.authorize(flow);
        await assert.rejects(auth.authorized(back(url)), code("NONCE_MISMATCH"));
        assert.equal(server.count("/auth/signin"), 0);
        auth.close();
    }
    const {auth} = prepared({}, () => answer({access_token: "x"}));
    await assert.rejects(auth.authorized(back(await auth.authorize(flow))), code("NONCE_MISMATCH"));
    auth.close();
});

test("a refusal of the provider has its reason", async () => {
    const {auth} = prepared({}, () => answer({error: "invalid_grant"}, 400));
    const denied = `${flow.redirectUri}?error=access_denied&error_description=No&state=`;
    const url = await auth.authorize(flow);
    const state = new URL(url).searchParams.get("state");
    await assert.rejects(auth.authorized(denied + state), {
        code: "AUTHORIZATION_FAILED", reason: "access_denied", message: "No"});
    await assert.rejects(auth.authorized(back(await auth.authorize(flow))), {
        code: "AUTHORIZATION_FAILED", reason: "invalid_grant"});
    auth.close();
});

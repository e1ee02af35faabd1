import assert from "node:assert/strict";
import {test} from "node:test";
import {AuthError, Latchkey} from "../../Web/latchkey.js";
import {base, moveClock, problem, Server, Store, withoutWaiting} from "./server.js";

const decoded = (text) => JSON.parse(Buffer.from(text, "base64url").toString());
const bound = (server) => async (seen, answer) => {
    if (!answer.ok || !/login|refresh/.test(seen.path)) return answer;
    const {headers} = answer;
    return new Response(
        JSON.stringify({...await answer.json(), tokenType: "DPoP"}), {headers});
};

/** Header and claims of a proof whose signature is right. */
async function verified({headers}) {
    const [header, claims, signature] = headers.get("DPoP").split(".");
    const {typ, alg, jwk} = decoded(header);
    assert.deepEqual([typ, alg], ["dpop+jwt", "ES256"]);
    assert.deepEqual(Object.keys(jwk).sort(), ["crv", "kty", "x", "y"]);
    const curve = {name: "ECDSA", namedCurve: "P-256", hash: "SHA-256"};
    const key = await crypto.subtle.importKey("jwk", jwk, curve, false, ["verify"]);
    assert.ok(await crypto.subtle.verify(
        curve, key, Buffer.from(signature, "base64url"), Buffer.from(`${header}.${claims}`)));
    return {jwk, ...decoded(claims)};
}

async function signedIn(options) {
    const server = new Server();
    server.after = bound(server);
    const auth = new Latchkey(base, {fetch: server.fetch, dpop: true, ...options});
    await auth.logIn({email: "ada", password: "secret"});
    return {auth, server};
}

test("each request has a proof of its own, of one key", async (t) => {
    const {auth, server} = await signedIn();
    await auth.fetch(`${base}/content?page=2#end`, {method: "PUT", body: "x"});
    moveClock(t, 901_000);
    await auth.fetch(`${base}/content`);
    const proofs = await Promise.all(server.requests.map(verified));
    assert.deepEqual(proofs.map(({htm, htu}) => `${htm} ${htu}`), [
        `POST ${base}/auth/login`, `PUT ${base}/content`, `POST ${base}/auth/refresh`,
        `GET ${base}/content`]);
    assert.equal(new Set(proofs.map(({jti}) => jti)).size, 4);
    assert.equal(new Set(proofs.map(({jwk}) => jwk.x)).size, 1);
    const digest = await crypto.subtle.digest("SHA-256", Buffer.from("access-1"));
    assert.deepEqual(proofs.map(({ath}) => ath).slice(0, 3), [
        undefined, Buffer.from(digest).toString("base64url"), undefined]);
    assert.equal(server.requests[1].headers.get("Authorization"), "DPoP access-1");
    auth.close();
});

test("proofs have the server's time", async (t) => {
    const {auth, server} = await signedIn();
    server.skew = 3_600_000;
    const refused = problem(400, "INVALID_DPOP_PROOF", {action: "retry"}, {
        Date: new Date(server.now()).toUTCString()});
    withoutWaiting(t);
    server.forget();
    let refusals = 1;
    server.before = ({path}) => path === "/auth/refresh" && refusals-- > 0 ? refused : undefined;
    await auth.fetch(`${base}/content`);
    const refreshes = server.requests.filter(({path}) => path === "/auth/refresh");
    const [early, right] = await Promise.all(refreshes.map(verified));
    assert.ok(Math.abs(right.iat - early.iat - 3600) < 3, `${early.iat} ${right.iat}`);
    auth.close();
});

test("a stored session whose key is gone counts as signed out", async () => {
    const store = new Store();
    const {auth, server} = await signedIn({store});
    assert.equal(store.record.session.tokenType, "DPoP");
    const next = new Latchkey(base, {fetch: server.fetch, store, dpop: true});
    assert.equal(await next.restore(), null);
    await assert.rejects(next.fetch(`${base}/content`), AuthError);
    auth.close();
    next.close();
});

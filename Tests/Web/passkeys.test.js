// With a stand-in for the browser; browsers with authenticators run web_client.py.

import assert from "node:assert/strict";
import {test} from "node:test";
import {AuthError, Latchkey} from "../../Web/latchkey.js";
import {base, Server} from "./server.js";

const code = (wanted) => (error) => error instanceof AuthError && error.code === wanted;
const bytes = (...values) => new Uint8Array(values).buffer;
const json = (body) => new Response(JSON.stringify(body));
const signals = {
    rpId: "example.com", userId: "AQI", name: "ada@example.com", displayName: "Ada",
    allAcceptedCredentialIds: ["-_8"]};

/** A client in a browser whose `navigator.credentials` the test decides. */
async function prepared(t, credentials, api = {}) {
    const server = new Server();
    server.before = ({path, body, method}) => {
        if (path === "/auth/passkeys/options") {
            return json({ceremony: `ceremony-${server.count(path)}`, options: {
                challenge: "-_8", timeout: 100, user: {id: "AQI", name: "a", displayName: "a"},
                excludeCredentials: [{type: "public-key", id: "AQI"}],
                allowCredentials: [{type: "public-key", id: "AQI"}]}});
        }
        if (path === "/auth/passkeys/signin") return json(server.issue("ada"));
        if (path === "/auth/passkeys/signup") return json(server.issue(body.name));
        if (path.startsWith("/auth/passkeys")) {
            return method === "DELETE"
                ? new Response(null, {status: 204}) : json({passkeys: [], signals});
        }
        return undefined;
    };
    globalThis.PublicKeyCredential = {isConditionalMediationAvailable: async () => true, ...api};
    const {navigator} = globalThis;
    Object.defineProperty(globalThis, "navigator", {
        value: {credentials}, configurable: true, writable: true});
    t.after(() => {
        delete globalThis.PublicKeyCredential;
        Object.defineProperty(globalThis, "navigator", {
            value: navigator, configurable: true, writable: true});
    });
    const auth = new Latchkey(base, {fetch: server.fetch});
    t.after(() => auth.close());
    return {auth, server};
}

const assertion = () => ({
    id: "-_8", type: "public-key", response: {
        clientDataJSON: bytes(1), authenticatorData: bytes(2), signature: bytes(251, 255),
        userHandle: null}});
/** Waits until it is aborted, as a browser does. */
const waiting = ({signal}) => new Promise((_, fail) => {
    signal.addEventListener("abort", () => fail(new DOMException("x", "AbortError")));
});

test("browsers without the JSON functions of Level 3", async (t) => {
    let asked;
    const {auth, server} = await prepared(t, {get: async (options) => {
        asked = options;
        return assertion();
    }});
    await auth.passkeys.signIn({deviceFingerprint: "d", device: {name: "Phone"}});
    assert.deepEqual([...asked.publicKey.challenge], [251, 255]);
    assert.deepEqual([...asked.publicKey.allowCredentials[0].id], [1, 2]);
    assert.deepEqual([...asked.publicKey.user.id], [1, 2]);
    assert.deepEqual(server.requests.at(-1).body, {
        ceremony: "ceremony-1", deviceFingerprint: "d", device: {name: "Phone"}, credential: {
            id: "-_8", rawId: "-_8", type: "public-key", response: {
                clientDataJSON: "AQ", authenticatorData: "Ag", signature: "-_8"}}});
    assert.equal(auth.user.id, "ada");
});

test("browsers with the JSON functions of Level 3", async (t) => {
    const {auth, server} = await prepared(t, {create: async ({publicKey}) => ({
        toJSON: () => ({id: "x", rawId: "x", type: "public-key", response: publicKey.parsed})}),
    }, {parseCreationOptionsFromJSON: ({challenge}) => ({parsed: {challenge}})});
    await auth.passkeys.signUp({
        email: "a", name: "Ada", passkeyName: "Phone", device: {name: "Laptop"}});
    assert.deepEqual(server.requests[0].body, {purpose: "signUp", email: "a", name: "Ada"});
    assert.deepEqual(server.requests[1].body, {
        ceremony: "ceremony-1", name: "Phone", device: {name: "Laptop"}, credential: {
            id: "x", rawId: "x", type: "public-key", response: {challenge: "-_8"}}});
});

for (const [name, wanted] of [
    ["NotAllowedError", "CANCELLED"], ["InvalidStateError", "PASSKEY_ALREADY_ADDED"],
    ["NotSupportedError", "UNSUPPORTED"], ["SecurityError", "PASSKEY_FAILED"],
]) {
    test(`${name} is ${wanted}`, async (t) => {
        const {auth} = await prepared(t, {get: async () => { throw new DOMException("x", name); }});
        await assert.rejects(auth.passkeys.signIn(), code(wanted));
    });
}

test("autofill is renewed before its ceremony ends", async (t) => {
    let tries = 0;
    const {auth, server} = await prepared(t, {
        get: (options) => ++tries < 3 ? waiting(options) : Promise.resolve(assertion())});
    await auth.passkeys.signIn({mediation: "conditional"});
    assert.equal(server.requests.at(-1).body.ceremony, "ceremony-3");
});

test("a button replaces autofill, which is cancelled", async (t) => {
    const {auth} = await prepared(t, {
        get: (options) => options.mediation ? waiting(options) : Promise.resolve(assertion())});
    const autofill = auth.passkeys.signIn({mediation: "conditional"});
    const button = auth.passkeys.signIn();
    await assert.rejects(autofill, code("CANCELLED"));
    await button;
});

test("a signal cancels, before and after the dialog began", async (t) => {
    const {auth, server} = await prepared(t, {get: waiting});
    const controller = new AbortController();
    const answer = auth.passkeys.signIn({signal: controller.signal});
    setTimeout(() => controller.abort(), 5);
    await assert.rejects(answer, code("CANCELLED"));
    await assert.rejects(auth.passkeys.signIn({signal: AbortSignal.abort()}), code("CANCELLED"));
    assert.equal(server.count("/auth/passkeys/signin"), 0);
});

test("the password manager learns which passkeys are left", async (t) => {
    const told = [];
    const tell = (name) => async (list) => { told.push([name, list]); };
    const {auth, server} = await prepared(t, {}, {
        signalAllAcceptedCredentials: tell("all"), signalCurrentUserDetails: async () => {
            throw new Error("refused");
        }});
    await auth.logIn({email: "ada", password: "x"});
    await auth.passkeys.remove("p1");
    assert.deepEqual(server.requests.slice(1).map(({method, path}) => `${method} ${path}`), [
        "DELETE /auth/passkeys/p1", "GET /auth/passkeys"]);
    assert.deepEqual(told, [["all", signals]]);
});

test("errors in browsers without passkeys", async () => {
    const auth = new Latchkey(base, {fetch: new Server().fetch});
    await assert.rejects(auth.passkeys.signIn(), code("UNSUPPORTED"));
    auth.close();
});

test("browsers without autofill", async (t) => {
    const {auth, server} = await prepared(t, {}, {isConditionalMediationAvailable: undefined});
    await assert.rejects(auth.passkeys.signIn({mediation: "conditional"}), code("UNSUPPORTED"));
    assert.equal(server.requests.length, 0);
});

// Errors of the client have a sentence that says what to do, and tell apart why no answer came.

import assert from "node:assert/strict";
import {readFileSync} from "node:fs";
import {test} from "node:test";
import {inspect} from "node:util";
import {AuthError, Latchkey} from "../../Web/latchkey.js";
import {base, problem, Server} from "./server.js";

const types = readFileSync(new URL("../../Web/latchkey.d.ts", import.meta.url), "utf8");

async function failure(work) {
    try {
        await work;
    } catch (error) {
        assert.ok(error instanceof AuthError, error);
        return error;
    }
    return assert.fail("no error");
}

test("every code of the client has a message", () => {
    const [, list] = types.match(/type ClientErrorCode =([^]*?)\nexport type ErrorCode/);
    const codes = [...list.matchAll(/\| "([A-Z_]+)"/g)].map(([, code]) => code);
    assert.ok(codes.length > 12, String(codes));
    // Thrown with a message that names the origin, the issuer or the reason.
    const named = [
        "FOREIGN_ORIGIN", "AUTHORIZATION_FAILED", "WRONG_STATE", "WRONG_ISSUER", "NONCE_MISMATCH"];
    for (const code of codes) {
        assert.equal(/ .*\.$/.test(new AuthError(code).message), !named.includes(code), code);
    }
});

test("a client needs an address, and a store that exists", () => {
    assert.throws(() => new Latchkey(undefined), /no address/);
    assert.throws(() => new Latchkey(base, {store: "local"}), /store is local, not localStorage/);
    const store = {getItem: () => null, setItem() {}, removeItem() {}};
    for (const one of [store, "sessionStorage", undefined]) new Latchkey(base, {store: one});
});

test("consoles show the names of the classes", () => {
    const error = new AuthError("SIGNED_OUT");
    assert.deepEqual([error.name, error.constructor.name], ["AuthError", "AuthError"]);
    assert.match(inspect(error), /^AuthError: Nobody is signed in/);
    assert.match(error.stack, /^AuthError: Nobody/);
    assert.match(inspect(new Latchkey(base)), /^Latchkey \{/);
});

test("nobody is signed in", async () => {
    const auth = new Latchkey(base, {fetch: new Server().fetch});
    const {code, message} = await failure(auth.call("GET", "/auth/me"));
    assert.deepEqual([code, message], ["SIGNED_OUT", "Nobody is signed in. Sign in first."]);
    auth.close();
});

test("another origin is named in the error", async () => {
    const auth = new Latchkey(base, {fetch: new Server().fetch});
    const {code, message} = await failure(auth.fetch("https://evil.example/x"));
    assert.deepEqual([code, message], ["FOREIGN_ORIGIN", "Not in origins: https://evil.example"]);
    assert.throws(() => new Latchkey("http://auth.example.com"), {
        message: "Not https: http://auth.example.com"});
    auth.close();
});

// The behaviour of browsers for requests of a page, according to the Fetch Standard.
const browsers = {
    OFFLINE: () => { throw new TypeError("Failed to fetch"); },
    ORIGIN_REFUSED: ({mode, redirect}) => {
        if (mode === "no-cors" && redirect === "follow") return Response.error();
        throw new TypeError("Load failed");
    },
    // The preflight of `register` is answered by 404.
    NOT_FOUND: ({method}) => {
        if (method !== "POST") return problem(404, "NOT_FOUND");
        throw new TypeError("NetworkError when attempting to fetch resource.");
    },
};

for (const [wanted, browser] of Object.entries(browsers)) {
    test(`a page learns that it is ${wanted}`, async (t) => {
        globalThis.location = new URL("https://app.example.com/");
        t.after(() => { delete globalThis.location; });
        const asked = [];
        const auth = new Latchkey(base, {fetch: async (url, init) => {
            asked.push([url, init.headers?.get("Content-Type")]);
            return browser(init);
        }});
        const error = await failure(auth.register({email: "a@example.com", password: "x"}));
        assert.equal(error.code, wanted);
        // A network that comes and goes looks like a refusal.
        assert.equal(error.action, wanted === "NOT_FOUND" ? undefined : "retry");
        assert.equal(error.cause.name, "TypeError");
        // The requests that look for the cause have no content type, and so no body.
        assert.ok(asked.slice(1).every(([, type]) => type === undefined));
        assert.ok(asked.length >= 2 && asked.every(([url]) => url === `${base}/auth/register`));
        auth.close();
    });
}

// A gateway answers 404 to another method of a path that it has.
for (const other of [
    () => problem(405, "METHOD_NOT_ALLOWED"),
    () => new Response('{"message":"Not Found"}', {status: 404}),
    () => new Response("<html>", {status: 404}), () => new Response("null", {status: 404}),
]) {
    test(`one lost answer is not taken for a missing route: ${other}`, async (t) => {
        globalThis.location = new URL("https://app.example.com/");
        t.after(() => { delete globalThis.location; });
        const auth = new Latchkey(base, {fetch: async (_, {method}) => {
            if (method === "POST") throw new TypeError("Failed to fetch");
            return other();
        }});
        const {code, action} = await failure(auth.guest());
        assert.deepEqual([code, action], ["OFFLINE", "retry"]);
        auth.close();
    });
}

test("after a timeout, the cause is not probed", async (t) => {
    globalThis.location = new URL("https://app.example.com/");
    t.after(() => { delete globalThis.location; });
    let count = 0;
    const auth = new Latchkey(base, {timeoutSeconds: 0.01, fetch: (_, {signal}) => {
        count++;
        // The signal's timer alone does not keep Node running.
        const timer = setTimeout(() => {}, 10_000);
        return new Promise((_, fail) => {
            signal.addEventListener("abort", () => {
                clearTimeout(timer);
                fail(signal.reason);
            });
        });
    }});
    const {code} = await failure(auth.guest());
    assert.deepEqual([code, count], ["OFFLINE", 1]);
    auth.close();
});

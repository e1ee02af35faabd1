import assert from "node:assert/strict";
import {test} from "node:test";
import {AuthError, Latchkey} from "../../Web/latchkey.js";
import {
    base, moveClock, problem, refusal, Server, settled, Store, withoutWaiting,
} from "./server.js";

const signedIn = async (server, options) => {
    const auth = new Latchkey(base, {fetch: server.fetch, ...options});
    await auth.logIn({email: "ada", password: "secret"});
    return auth;
};
const get = (auth) => auth.fetch(`${base}/content`);
const code = (wanted) => (error) => error instanceof AuthError && error.code === wanted;

test("an address of Latchkey has TLS, or is of this machine", () => {
    for (const address of [
        "javascript:alert(1)", "data:,", "ftp://auth.example", "http://auth.example",
        "http://localhost.example/", "http://127.example", "http://localhost@auth.example",
        "http://[::2]/", "blob:https://auth.example/x", "ws://localhost", "httpss://auth.example",
        "auth.example", "localhost:8080",
    ]) assert.throws(() => new Latchkey(address), code("FOREIGN_ORIGIN"), address);
    for (const address of [
        "https://auth.example/a/", "HTTPS://AUTH.EXAMPLE", "http://localhost",
        "http://localhost:8000/", "http://127.0.0.1:8000", "http://127.1/a", "http://[::1]:8000",
    ]) new Latchkey(address).close();
});

test("200 callers with an expired token refresh once", async (t) => {
    const server = new Server();
    const auth = await signedIn(server);
    const first = await auth.accessToken();
    moveClock(t, 901_000);
    const answers = await Promise.all(Array.from({length: 200}, () => get(auth)));
    assert.deepEqual(answers.map(({status}) => status), Array(200).fill(200));
    assert.notEqual(await auth.accessToken(), first);
    assert.equal(server.count("/auth/refresh"), 1);
    auth.close();
});

test("200 callers with a refused token refresh once, and send again once", async () => {
    const server = new Server();
    const auth = await signedIn(server);
    server.forget();
    const answers = await Promise.all(Array.from({length: 200}, () => get(auth)));
    assert.deepEqual(answers.map(({status}) => status), Array(200).fill(200));
    assert.equal(server.count("/auth/refresh"), 1);
    assert.equal(server.count("/content"), 400);
    auth.close();
});

test("a refusal that arrives after another caller's refresh does not refresh again", async () => {
    const server = new Server();
    const auth = await signedIn(server);
    server.forget();
    let release;
    const released = new Promise((done) => { release = done; });
    server.after = async ({url}, answer) => {
        if (url.endsWith("?late") && answer.status === 401) await released;
        return answer;
    };
    const late = auth.fetch(`${base}/content?late`);
    assert.equal((await get(auth)).status, 200);
    release();
    assert.equal((await late).status, 200);
    assert.equal(server.count("/auth/refresh"), 1);
    auth.close();
});

test("a request that is refused again is not sent a third time", async () => {
    const server = new Server();
    const auth = await signedIn(server);
    server.before = ({path}) => path === "/content" ? problem(401, "TOKEN_EXPIRED") : undefined;
    assert.equal((await get(auth)).status, 401);
    assert.deepEqual(server.paths(), ["/auth/login", "/content", "/auth/refresh", "/content"]);
    auth.close();
});

test("an API that always refuses makes no loop of refreshes", async (t) => {
    const server = new Server();
    const auth = await signedIn(server);
    server.before = ({path}) => path === "/content" ? problem(401, "TOKEN_EXPIRED") : undefined;
    let calls = 0;
    auth.subscribe(() => { if (calls++ < 9) get(auth); });
    await get(auth);
    for (let turn = 0; turn < 40; turn++) await settled();
    assert.equal(server.count("/auth/refresh"), 1);
    moveClock(t, 11_000);
    await get(auth);
    assert.equal(server.count("/auth/refresh"), 2);
    auth.close();
});

test("the body of a request is sent again, but not a stream", async () => {
    const server = new Server();
    const auth = await signedIn(server);
    server.forget();
    const answer = await auth.fetch(new Request(
        `${base}/content`, {method: "POST", body: '{"a": 1}'}));
    assert.deepEqual((await answer.json()).body, {a: 1});
    server.forget();
    const body = new Blob(["text"]).stream();
    const refused = await auth.fetch(`${base}/content`, {method: "POST", body, duplex: "half"});
    assert.equal(refused.status, 401);
    assert.equal(server.count("/content"), 3);
    auth.close();
});

test("the client does not refresh if the server asks for a stronger proof", async () => {
    const server = new Server();
    const auth = await signedIn(server);
    server.before = ({path}) => path === "/content" ? problem(401, "STEP_UP_REQUIRED", {}, {
        "WWW-Authenticate": 'Bearer error="insufficient_user_authentication"'}) : undefined;
    assert.equal((await get(auth)).status, 401);
    await assert.rejects(auth.call("GET", "/content"), code("STEP_UP_REQUIRED"));
    assert.equal(server.count("/auth/refresh"), 0);
    auth.close();
});

test("a refused body of a request is not a refused token", async () => {
    const server = new Server();
    const auth = await signedIn(server);
    server.before = ({path}) => path === "/auth/methods" ? problem(401, "AUTH_FAILED") : undefined;
    await assert.rejects(auth.call("POST", "/auth/methods", {}), code("AUTH_FAILED"));
    assert.deepEqual(server.paths(), ["/auth/login", "/auth/methods"]);
    auth.close();
});

test("other origins get no token", async () => {
    const server = new Server();
    const auth = await signedIn(server, {origins: ["https://api.example.com"]});
    for (const url of [
        "https://evil.example/", "https://auth.example.com.evil.example/",
        "http://auth.example.com/", "https://auth.example.com:8443/",
    ]) await assert.rejects(auth.fetch(url), code("FOREIGN_ORIGIN"));
    assert.deepEqual(server.paths(), ["/auth/login"]);
    const {headers} = (await auth.fetch("https://api.example.com/a"), server.requests.at(-1));
    assert.equal(headers.get("Authorization"), "Bearer access-1");
    auth.close();
});

for (const [name, answer] of Object.entries({
    "no network": () => { throw new TypeError("Failed to fetch"); },
    "an outage that says 400": () => problem(400, "BAD_REQUEST"),
    "a timeout of the gateway": () => new Response("", {status: 408}),
    "too many requests": () => new Response("", {status: 429}),
    "an error": () => problem(500, "INTERNAL_ERROR", {action: "retry"}),
    "an unavailable server": () => new Response('{"message":"x"}', {status: 503}),
    "a page of a hotel": () => new Response("<html>", {status: 200}),
    "a proxy that wants a sign-in": () => new Response("<html>", {status: 401}),
    "a firewall": () => new Response("<html>", {status: 403}),
    "an empty answer": () => new Response("", {status: 200}),
    "a truncated answer": () => new Response('{"accessToken":"', {status: 200}),
    "a proof that came too late": () => problem(400, "INVALID_DPOP_PROOF", {action: "retry"}),
    "a 400 that wants a sign-in": () => problem(400, "MISSING_TOKEN", {action: "reauthenticate"}),
})) {
    test(`the session survives ${name}, and the next call refreshes`, async (t) => {
        withoutWaiting(t);
        const server = new Server();
        const store = new Store();
        const auth = await signedIn(server, {store, attempts: 3});
        moveClock(t, 901_000);
        server.before = ({path}) => path === "/auth/refresh" ? answer() : undefined;
        await assert.rejects(get(auth), AuthError);
        assert.equal(auth.user.id, "ada");
        assert.equal(store.record.session.refreshToken, "lkr_1");
        const sent = server.requests.filter(({path}) => path === "/auth/refresh");
        assert.ok(sent.every(({body}) => body.refreshToken === "lkr_1"));
        server.before = () => undefined;
        assert.equal((await get(auth)).status, 200);
        auth.close();
    });
}

for (const [status, error] of [[401, "INVALID_REFRESH_TOKEN"], [403, "ACCOUNT_DISABLED"]]) {
    test(`${error} ends the session`, async (t) => {
        const server = new Server();
        const store = new Store();
        const auth = await signedIn(server, {store});
        const events = [];
        auth.subscribe((user, event) => events.push([user?.id, event]));
        moveClock(t, 901_000);
        server.before = ({path}) => path === "/auth/refresh"
            ? problem(status, error, {action: "reauthenticate"}) : undefined;
        await assert.rejects(get(auth), code(error));
        await assert.rejects(get(auth), code("SIGNED_OUT"));
        assert.equal(auth.user, null);
        assert.equal(store.record, null);
        assert.deepEqual(events, [["ada", "subscribed"], [undefined, "ended"]]);
        auth.close();
    });
}

test("a refresh whose answer is lost is sent again with the same token", async (t) => {
    withoutWaiting(t);
    const server = new Server();
    const auth = await signedIn(server);
    moveClock(t, 901_000);
    let lost = 2;
    server.after = ({path}, answer) => {
        if (path === "/auth/refresh" && lost-- > 0) throw new TypeError("Failed to fetch");
        return answer;
    };
    assert.equal((await get(auth)).status, 200);
    const sent = server.requests.filter(({path}) => path === "/auth/refresh");
    assert.deepEqual(sent.map(({body}) => body.refreshToken), ["lkr_1", "lkr_1", "lkr_1"]);
    auth.close();
});

test("the client waits with full jitter, and as long as the server says", async (t) => {
    const waits = withoutWaiting(t);
    t.mock.method(Math, "random", () => 0.5);
    const server = new Server();
    const auth = await signedIn(server);
    moveClock(t, 901_000);
    server.before = ({path}) => path === "/auth/refresh"
        ? new Response("", {status: 503}) : undefined;
    await assert.rejects(get(auth), code("GATEWAY"));
    auth.close();
    // The last wait precedes the refresh that the client repeats by itself.
    assert.deepEqual(waits, [250, 500, 1000, 2000, 12_000]);
    const other = await signedIn(server);
    await settled();
    waits.length = 0;
    moveClock(t, 901_000);
    server.before = ({path}) => path === "/auth/refresh"
        ? new Response("", {status: 503, headers: {"Retry-After": "3"}}) : undefined;
    await assert.rejects(get(other), (error) => error.retryAfter === 3);
    other.close();
    assert.deepEqual(waits, [3250, 12_000]);
});

// After the server's grace, the same token would count as stolen (RFC 9700 section 4.14.2).
test("an answer that is lost is asked for again without a call, five times", async (t) => {
    const waits = withoutWaiting(t);
    const server = new Server();
    const auth = await signedIn(server, {attempts: 1});
    moveClock(t, 901_000);
    server.after = ({path}, answer) => {
        if (path === "/auth/refresh") throw new TypeError("Failed to fetch");
        return answer;
    };
    await assert.rejects(get(auth), code("OFFLINE"));
    while (server.count("/auth/refresh") < 6) await settled();
    for (let turn = 0; turn < 20; turn++) await settled();
    assert.equal(server.count("/auth/refresh"), 6);
    assert.deepEqual(waits, Array(5).fill(12_000));
    auth.close();
});

function stopTimers(timers) {
    try {
        timers.enable({apis: ["setTimeout"]});
    } catch {
        timers.enable(["setTimeout"]);      // Node 18, which is Debian 12's
    }
}

test("no request is sent after a sign-out, or after the client is closed", async (t) => {
    for (const end of [(auth) => auth.signOut(), (auth) => auth.close()]) {
        stopTimers(t.mock.timers);
        const server = new Server();
        const auth = await signedIn(server, {attempts: 1});
        server.forget();
        server.before = ({path}) => path === "/auth/refresh"
            ? new Response("", {status: 503}) : undefined;
        await assert.rejects(get(auth), code("GATEWAY"));
        await end(auth);
        t.mock.timers.tick(60_000);
        await settled();
        assert.equal(server.count("/auth/refresh"), 1);
        auth.close();
        t.mock.timers.reset();
    }
});

test("a page that only restores its session asks for an answer that was lost", async (t) => {
    const server = new Server();
    const store = new Store();
    const auth = await signedIn(server, {store, attempts: 1});
    moveClock(t, 850_000);
    server.after = ({path}, answer) => {
        if (path === "/auth/refresh") throw new TypeError("Failed to fetch");
        return answer;
    };
    assert.equal((await get(auth)).status, 200);
    auth.close();
    server.after = (_, answer) => answer;
    const next = new Latchkey(base, {fetch: server.fetch, store});
    assert.equal((await next.restore()).id, "ada");
    await settled();
    await settled();
    assert.equal(store.record.session.refreshToken, "lkr_2");
    assert.equal(server.count("/auth/refresh"), 2);
    next.close();
});

test("no refresh before the time that the server named", async (t) => {
    const server = new Server();
    const auth = await signedIn(server);
    moveClock(t, 901_000);
    server.before = ({path}) => path === "/auth/refresh"
        ? problem(429, "RATE_LIMITED", {action: "retry"}, {"Retry-After": "30"}) : undefined;
    await assert.rejects(get(auth), code("RATE_LIMITED"));
    await assert.rejects(get(auth), code("RATE_LIMITED"));
    assert.equal(server.count("/auth/refresh"), 1);
    server.before = () => undefined;
    moveClock(t, 31_000);
    assert.equal((await get(auth)).status, 200);
    auth.close();
});

test("a proxy that names a time far away stops refreshes for five minutes", async (t) => {
    const server = new Server();
    const auth = await signedIn(server);
    moveClock(t, 901_000);
    server.before = ({path}) => path === "/auth/refresh"
        ? new Response("", {status: 503, headers: {"Retry-After": "86400"}}) : undefined;
    await assert.rejects(get(auth), (error) => error.retryAfter === 300);
    server.before = () => undefined;
    moveClock(t, 299_000);
    await assert.rejects(get(auth), code("GATEWAY"));
    moveClock(t, 2_000);
    assert.equal((await get(auth)).status, 200);
    auth.close();
});

test("a token that ends soon is used when it cannot be refreshed", async (t) => {
    withoutWaiting(t);
    const server = new Server();
    const auth = await signedIn(server);
    moveClock(t, 850_000);
    server.before = ({path}) => path === "/auth/refresh"
        ? new Response("", {status: 503}) : undefined;
    assert.equal((await get(auth)).status, 200);
    auth.close();
});

test("the client refreshes a minute or a fifth of the lifetime before expiry", async (t) => {
    const server = new Server();
    const auth = await signedIn(server);
    moveClock(t, 830_000);
    await get(auth);
    assert.equal(server.count("/auth/refresh"), 0);
    moveClock(t, 12_000);
    await get(auth);
    assert.equal(server.count("/auth/refresh"), 1);
    server.lifetime = 50;
    const short = await signedIn(server);
    await get(short);
    moveClock(t, 35_000);
    await get(short);
    assert.equal(server.count("/auth/refresh"), 1);
    moveClock(t, 7_000);
    await get(short);
    assert.equal(server.count("/auth/refresh"), 2);
    auth.close();
    short.close();
});

for (const [name, skew] of Object.entries({
    "an hour behind": 3_600_000, "an hour ahead": -3_600_000, "a day behind": 86_400_000,
    "a day ahead": -86_400_000,
})) {
    test(`a clock that is ${name} neither refreshes too often nor too late`, async (t) => {
        const server = new Server();
        const store = new Store();
        server.skew = skew;
        const auth = await signedIn(server, {store});
        await get(auth);
        const restarted = new Latchkey(base, {fetch: server.fetch, store});
        await get(restarted);
        assert.equal(server.count("/auth/refresh"), 0);
        moveClock(t, 860_000);
        await get(restarted);
        assert.deepEqual(server.paths().slice(-2), ["/auth/refresh", "/content"]);
        auth.close();
        restarted.close();
    });
}

test("a clock that jumps costs one refresh", async (t) => {
    const server = new Server();
    const auth = await signedIn(server);
    const jump = 86_400_000;
    moveClock(t, jump);
    server.skew = -jump;
    await get(auth);
    await get(auth);
    assert.equal(server.count("/auth/refresh"), 1);
    moveClock(t, -2 * jump);
    server.skew += 2 * jump + 901_000;      // real time passes
    assert.equal((await get(auth)).status, 200);
    await get(auth);
    assert.equal(server.count("/auth/refresh"), 2);
    auth.close();
});

test("a time without a lifetime in another answer does not change the clock", async (t) => {
    const server = new Server();
    server.before = ({path}) => path === "/audit"
        ? Response.json({heads: [], expiresAt: 1_900_000_000_000}) : undefined;
    const auth = await signedIn(server);
    await auth.call("GET", "/audit");
    moveClock(t, 901_000);
    await auth.call("GET", "/audit");
    assert.deepEqual(server.paths(), ["/auth/login", "/audit", "/auth/refresh", "/audit"]);
    auth.close();
});

test("the time of issue stands in for a Date header that is hidden", async (t) => {
    const server = new Server();
    server.skew = 3_600_000;
    server.after = (_, answer) => {
        answer.headers.delete("Date");
        return answer;
    };
    const auth = await signedIn(server);
    await get(auth);
    moveClock(t, 830_000);
    await get(auth);
    assert.equal(server.count("/auth/refresh"), 0);
    moveClock(t, 12_000);
    await get(auth);
    assert.equal(server.count("/auth/refresh"), 1);
    auth.close();
});

test("a hanging server is given up, and the session stays", async (t) => {
    withoutWaiting(t);
    // The timer of AbortSignal.timeout does not keep Node running.
    const running = setInterval(() => {}, 1000);
    t.after(() => clearInterval(running));
    const server = new Server();
    const auth = await signedIn(server, {attempts: 2, timeoutSeconds: 0.01});
    moveClock(t, 901_000);
    server.before = ({path, request}) => path === "/auth/refresh"
        ? new Promise((_, fail) => {
            request.signal.addEventListener("abort", () => fail(request.signal.reason));
        }) : undefined;
    await assert.rejects(get(auth), code("OFFLINE"));
    assert.equal(server.count("/auth/refresh"), 2);
    assert.equal(auth.user.id, "ada");
    auth.close();
});

test("a listener that calls back does not block", async (t) => {
    const server = new Server();
    const auth = await signedIn(server);
    const answered = new Promise((done) => {
        auth.subscribe(async (_, event) => {
            if (event === "refreshed") done(await get(auth));
        });
    });
    moveClock(t, 901_000);
    await get(auth);
    assert.equal((await answered).status, 200);
    auth.close();
});

test("a closed client and an ended subscription are silent", async () => {
    const server = new Server();
    const auth = new Latchkey(base, {fetch: server.fetch});
    const events = [];
    const end = auth.subscribe((_, event) => events.push(event));
    end();
    auth.subscribe((_, event) => events.push(event));
    auth.close();
    await auth.guest();
    await settled();
    assert.deepEqual(events, ["subscribed", "subscribed"]);
    assert.equal(server.requests[0].headers.get("Authorization"), null);
    assert.deepEqual(server.requests[0].body, {});
});

test("without a session there is no request", async () => {
    const server = new Server();
    const auth = new Latchkey(base, {fetch: server.fetch});
    assert.equal(auth.user, undefined);
    assert.equal(await auth.restore(), null);
    await assert.rejects(get(auth), code("SIGNED_OUT"));
    await assert.rejects(auth.call("GET", "/auth/me"), code("SIGNED_OUT"));
    assert.equal(await auth.signOut(), true);
    assert.deepEqual(server.requests, []);
    auth.close();
});

test("errors have the server's members", async () => {
    const server = new Server();
    server.before = () => problem(403, "SIGN_IN_REFUSED", {reason: "blocked_region"});
    const auth = new Latchkey(base, {fetch: server.fetch});
    await assert.rejects(auth.logIn({email: "ada", password: "x"}), {
        name: "AuthError", code: "SIGN_IN_REFUSED", message: "SIGN_IN_REFUSED",
        reason: "blocked_region", status: 403, retryAfter: 0, action: undefined});
    server.before = () => refusal();
    await assert.rejects(auth.logIn({}), code("INVALID_REFRESH_TOKEN"));
    auth.close();
});

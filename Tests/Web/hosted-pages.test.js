// The way to the server's pages and back, in a page of this test.

import assert from "node:assert/strict";
import {createHash} from "node:crypto";
import {test} from "node:test";
import {AuthError, Latchkey} from "../../Web/latchkey.js";
import {base, moveClock, problem, Server, Store, withoutWaiting} from "./server.js";

const here = "https://app.example.com/start?view=list#top";
const code = (wanted) => (error) => error instanceof AuthError && error.code === wanted;

/** A browser: each tab has a client and an address of its own, all have one storage. */
class Browser {
    server = new Server();
    storage = new Store();
    store = new Store();
    exchanges = [];

    constructor(t) {
        this.server.before = ({path, body}) => {
            if (path !== "/auth/ui/token") return undefined;
            this.exchanges.push(body);
            return this.answer?.() ?? new Response(JSON.stringify(this.server.issue("ada")));
        };
        t.after(() => { delete globalThis.location; delete globalThis.history; });
    }

    /** `location.assign` and `history.replaceState` change its address. */
    tab(href) {
        const tab = {auth: new Latchkey(base, {
            fetch: this.server.fetch, storage: this.storage, store: this.store})};
        globalThis.location = {
            href, pathname: new URL(href).pathname, origin: new URL(href).origin,
            assign: (url) => { tab.left = new URL(url); },
        };
        globalThis.history = {
            state: {kept: 1},
            replaceState: (state, _, url) => {
                tab.state = state;
                globalThis.location.href = tab.cleaned = String(url);
            },
        };
        return tab;
    }

    async left(flow) {
        const tab = this.tab(here);
        await tab.auth.signInWithPage(flow);
        tab.auth.close();
        return tab.left;
    }

    async back(left, more) {
        const {state, redirect_uri: address} = Object.fromEntries(left.searchParams);
        const url = new URL(address);
        for (const [name, value] of Object.entries({code: "c-1", iss: base, state, ...more})) {
            if (value !== undefined) url.searchParams.append(name, value);
        }
        return this.tab(url.href);
    }
}

test("two lines sign in by the page, and the answer leaves the address bar", async (t) => {
    const browser = new Browser(t);
    const left = await browser.left({returnTo: "/back?view=list"});
    const {state, code_challenge: challenge, ...rest} = Object.fromEntries(left.searchParams);
    assert.equal(left.origin + left.pathname, `${base}/auth/ui/signin`);
    assert.deepEqual(rest, {
        response_type: "code", code_challenge_method: "S256",
        redirect_uri: "https://app.example.com/back?view=list"});
    assert.match(state, /^[\w-]{43}$/);
    const tab = await browser.back(left);
    assert.equal((await tab.auth.signedInWithPage()).id, "ada");
    assert.equal(tab.auth.user.id, "ada");
    assert.equal(tab.cleaned, "https://app.example.com/back?view=list");
    assert.deepEqual(tab.state, {kept: 1});
    const [{codeVerifier, ...sent}] = browser.exchanges;
    assert.deepEqual(sent, {code: "c-1"});
    assert.equal(createHash("sha256").update(codeVerifier).digest("base64url"), challenge);
    assert.equal(browser.storage.items.size, 0);
    tab.auth.close();
});

test("the app opens the registration, and gets back to this page or any address", async (t) => {
    const browser = new Browser(t);
    const register = await browser.left({page: "register"});
    assert.equal(register.pathname, "/auth/ui/register");
    const target = (left) => left.searchParams.get("redirect_uri");
    assert.equal(target(register), "https://app.example.com/start");
    assert.equal(target(await browser.left()), "https://app.example.com/start");
    const doubled = browser.tab("https://app.example.com//evil.example/?x");
    await doubled.auth.signInWithPage();
    assert.equal(target(doubled.left), "https://app.example.com//evil.example/");
    doubled.auth.close();
    for (const exact of ["com.example.app:/signed-in", "https://app.example.com"]) {
        assert.equal(target(await browser.left({returnTo: exact})), exact);
    }
});

test("a page opened without a redirect restores the session, if there is one", async (t) => {
    const browser = new Browser(t);
    // Back by the browser's button, without finishing.
    await browser.left();
    for (const query of ["start?view=list#top", "?code=x", "?state=x"]) {
        const href = `https://app.example.com/${query}`;
        const tab = browser.tab(href);
        assert.equal(await tab.auth.signedInWithPage(), null);
        assert.equal(tab.cleaned, undefined);
        tab.auth.close();
    }
    const {auth} = browser.tab(here);
    await auth.logIn({email: "bob", password: "secret"});
    auth.close();
    const next = browser.tab(here);
    assert.equal((await next.auth.signedInWithPage()).id, "bob");
    next.auth.close();
    assert.equal(browser.exchanges.length, 0);
});

test("a reload of the return page has the session and uses no code twice", async (t) => {
    const browser = new Browser(t);
    const tab = await browser.back(await browser.left());
    await tab.auth.signedInWithPage();
    tab.auth.close();
    const reloaded = browser.tab(tab.cleaned);
    assert.equal((await reloaded.auth.signedInWithPage()).id, "ada");
    reloaded.auth.close();
    assert.equal(browser.exchanges.length, 1);
});

test("two calls at once, as by React's StrictMode, use one code", async (t) => {
    const browser = new Browser(t);
    const tab = await browser.back(await browser.left());
    const users = await Promise.all([tab.auth.signedInWithPage(), tab.auth.signedInWithPage()]);
    assert.deepEqual(users.map(({id}) => id), ["ada", "ada"]);
    assert.equal(browser.exchanges.length, 1);
    tab.auth.close();
});

test("two tabs that begin at once both come back", async (t) => {
    const browser = new Browser(t);
    const [one, two] = [await browser.left(), await browser.left()];
    for (const left of [two, one]) {
        const tab = await browser.back(left);
        await tab.auth.signedInWithPage();
        tab.auth.close();
    }
    assert.equal(browser.exchanges.length, 2);
});

test("an unknown, used or stale state is refused, and the session continues", async (t) => {
    const browser = new Browser(t);
    const used = await browser.left();
    const first = await browser.back(used);
    await first.auth.signedInWithPage();
    first.auth.close();
    const late = await browser.left();
    const cases = [[used, {}], [late, {state: "guess"}], [late, {state: "__proto__"}]];
    for (const [left, more] of cases) {
        const tab = await browser.back(left, more);
        await assert.rejects(tab.auth.signedInWithPage(), (error) => code("WRONG_STATE")(error)
            && error.message.includes("Begin again"));
        assert.equal(tab.cleaned, "https://app.example.com/start");
        assert.equal(tab.auth.user.id, "ada");
        tab.auth.close();
    }
    moveClock(t, 1_801_000);
    const tab = await browser.back(late);
    await assert.rejects(tab.auth.signedInWithPage(), code("WRONG_STATE"));
    tab.auth.close();
    assert.equal(browser.exchanges.length, 1);
});

test("redirects that were never finished are deleted by the next one", async (t) => {
    const browser = new Browser(t);
    // As the browser's own storage: its keys are properties.
    browser.storage = new Proxy(browser.storage, {
        ownKeys: ({items}) => [...items.keys()],
        getOwnPropertyDescriptor: () => ({configurable: true, enumerable: true}),
        get: (target, name) => typeof target[name] === "function"
            ? target[name].bind(target) : target[name],
    });
    browser.storage.setItem("another app's", "1");
    browser.storage.setItem("latchkey flow broken", "{");
    for (let count = 0; count < 5; count++) await browser.left();
    assert.equal(browser.storage.items.size, 6);
    moveClock(t, 1_801_000);
    await browser.left();
    assert.equal(browser.storage.items.size, 2);
});

test("an error of the page and an answer of another server are refused", async (t) => {
    const browser = new Browser(t);
    const back = async (more) => {
        const tab = await browser.back(await browser.left(), more);
        tab.auth.close();
        await assert.rejects(tab.auth.signedInWithPage(), (error) => {
            tab.error = error;
            return error instanceof AuthError;
        });
        assert.equal(tab.cleaned, "https://app.example.com/start");
        return tab.error;
    };
    const refused = await back({code: undefined, error: "access_denied"});
    assert.deepEqual([refused.code, refused.reason], ["AUTHORIZATION_FAILED", "access_denied"]);
    for (const iss of ["https://evil.example", undefined, `${base}//`, `${base}/a`, `${base}.a`]) {
        assert.equal((await back({iss})).code, "WRONG_ISSUER");
    }
    assert.equal(browser.exchanges.length, 0);
    browser.answer = () => problem(400, "INVALID_TOKEN");
    assert.equal((await back()).code, "INVALID_TOKEN");
});

test("slashes at the end of the server's address, here or in ISSUER, do not count", async (t) => {
    const browser = new Browser(t);
    const tab = await browser.back(await browser.left(), {iss: `${base}/`});
    assert.equal((await tab.auth.signedInWithPage()).id, "ada");
    tab.auth.close();
    const addresses = [];
    const auth = new Latchkey(`${base}//`, {fetch: async (address) => {
        addresses.push(address);
        return Response.json({nonce: "n-1", expiresIn: 600});
    }});
    await auth.challenge();
    assert.deepEqual(addresses, [`${base}/auth/challenge`]);
    auth.close();
});

test("a busy server and a network that comes back cost no sign-in", async (t) => {
    const browser = new Browser(t);
    const waits = withoutWaiting(t);
    const failures = [
        () => problem(503, "UNAVAILABLE", {action: "retry"}, {"Retry-After": "2"}),
        () => { throw new Error("Failed to fetch"); },
    ];
    browser.answer = () => failures.shift()?.();
    const tab = await browser.back(await browser.left());
    assert.equal((await tab.auth.signedInWithPage()).id, "ada");
    tab.auth.close();
    assert.deepEqual(waits, [2000, 2000]);
    const codes = new Set(browser.exchanges.map(({codeVerifier}) => codeVerifier));
    assert.deepEqual([browser.exchanges.length, codes.size], [3, 1]);
    // Not for ever, and not longer than a code lasts.
    for (const [answer, count] of [
        [() => { throw new Error("Failed to fetch"); }, 3],
        [() => problem(503, "UNAVAILABLE", {action: "retry"}, {"Retry-After": "60"}), 1],
        [() => problem(403, "ACCOUNT_DISABLED"), 1],
        // An unlisted origin: the request, and the two that find out why it failed.
        [() => {
            if (browser.exchanges.length === 3) return Response.error();
            throw new TypeError("Load failed");
        }, 3],
    ]) {
        browser.exchanges = [];
        browser.answer = answer;
        const {auth} = await browser.back(await browser.left());
        await assert.rejects(auth.signedInWithPage(), AuthError);
        assert.equal(browser.exchanges.length, count, String(answer));
        auth.close();
    }
});

test("a browser that stores nothing is not led away", async (t) => {
    const browser = new Browser(t);
    browser.storage.fails = true;
    const tab = browser.tab(here);
    await assert.rejects(tab.auth.signInWithPage(), (error) => code("STORE_FAILED")(error)
        && error.message.includes("Allow this site"));
    assert.equal(tab.left, undefined);
    tab.auth.close();
    // Reading `localStorage` itself throws.
    const descriptor = Object.getOwnPropertyDescriptor(globalThis, "localStorage");
    Object.defineProperty(globalThis, "localStorage", {
        configurable: true, get() { throw new Error("SecurityError"); }});
    t.after(() => {
        delete globalThis.localStorage;
        if (descriptor) Object.defineProperty(globalThis, "localStorage", descriptor);
    });
    const auth = new Latchkey(base, {fetch: browser.server.fetch, store: "localStorage"});
    await assert.rejects(auth.signInWithPage(), code("STORE_FAILED"));
    await assert.rejects(auth.restore(), code("STORE_FAILED"));
    // The session lasts as long as the page.
    await auth.logIn({email: "ada", password: "secret"});
    assert.equal(auth.user.id, "ada");
    auth.close();
});

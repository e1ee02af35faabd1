// Two clients with one store, lock and channel are two tabs.

import assert from "node:assert/strict";
import {test} from "node:test";
import {AuthError, Latchkey} from "../../Web/latchkey.js";
import {base, Locks, moveClock, refusal, Server, settled, Store, withoutWaiting} from "./server.js";

const get = (auth) => auth.fetch(`${base}/content`);
const code = (wanted) => (error) => error instanceof AuthError && error.code === wanted;
const login = (email) => ({email, password: "secret"});

function browser(count) {
    const server = new Server();
    const store = new Store();
    const options = {fetch: server.fetch, store, locks: new Locks()};
    const tabs = Array.from({length: count}, () => new Latchkey(base, options));
    for (const tab of tabs) tab.restore();
    return {server, store, tabs, close: () => tabs.forEach((tab) => tab.close())};
}

/** Waits for messages of BroadcastChannel, which have no other end to wait for. */
async function eventually(isTrue) {
    for (let turn = 0; turn < 10_000; turn++) {
        if (isTrue()) return;
        await settled();
    }
    assert.fail("it did not become true");
}

/** Holds the answer to one refresh until `release` is called. */
function heldRefresh(server) {
    let release;
    const released = new Promise((done) => { release = done; });
    const arrived = new Promise((done) => {
        server.after = async ({path}, answer) => {
            if (path !== "/auth/refresh") return answer;
            done();
            await released;
            return answer;
        };
    });
    return {arrived, release};
}

test("seven tabs with an expired token refresh once", async (t) => {
    const {server, tabs, close} = browser(7);
    await tabs[0].logIn(login("ada"));
    await eventually(() => tabs.every(({user}) => user?.id === "ada"));
    moveClock(t, 901_000);
    const answers = await Promise.all(tabs.flatMap((tab) => [get(tab), get(tab), get(tab)]));
    assert.ok(answers.every(({status}) => status === 200));
    assert.equal(server.count("/auth/refresh"), 1);
    close();
});

test("a sign-out in one tab signs out the others", async () => {
    const {server, store, tabs, close} = browser(3);
    await tabs[0].logIn(login("ada"));
    await eventually(() => tabs.every(({user}) => user));
    assert.equal(await tabs[1].signOut(), true);
    await eventually(() => tabs.every(({user}) => user === null));
    assert.deepEqual(store.record, null);
    assert.deepEqual(server.requests.at(-1).body, {refreshToken: "lkr_1", scope: "session"});
    close();
});

test("tabs without a common store have sessions of their own", async () => {
    const server = new Server();
    const [one, two] = [0, 1].map(() => new Latchkey(base, {fetch: server.fetch}));
    await one.logIn(login("ada"));
    await two.logIn(login("bob"));
    await one.signOut();
    await settled();
    assert.equal(one.user, null);
    assert.equal(two.user.id, "bob");
    one.close();
    two.close();
});

for (const other of [false, true]) {
    const where = other ? "another tab" : "the same tab";

    test(`a sign-out in ${where} wins over a refresh in flight`, async (t) => {
        const {server, store, tabs: [one, two], close} = browser(2);
        await one.logIn(login("ada"));
        await eventually(() => two.user);
        moveClock(t, 901_000);
        const {arrived, release} = heldRefresh(server);
        const answer = get(one);
        await arrived;
        await (other ? two : one).signOut();
        release();
        await assert.rejects(answer, code("SIGNED_OUT"));
        await eventually(() => one.user === null && two.user === null);
        assert.equal(store.record, null);
        close();
    });

    test(`a refresh that ends late leaves the next user's session in ${where} alone`, async (t) => {
        const {server, store, tabs: [one, two], close} = browser(2);
        await one.logIn(login("ada"));
        await eventually(() => two.user);
        moveClock(t, 901_000);
        const {arrived, release} = heldRefresh(server);
        const answer = get(one);
        await arrived;
        const next = other ? two : one;
        await next.signOut();
        await next.logIn(login("bob"));
        release();
        assert.equal((await (await answer).json()).user, "bob");
        await eventually(() => one.user?.id === "bob" && two.user?.id === "bob");
        assert.equal(store.record.session.user.id, "bob");
        close();
    });

    test(`a late refusal leaves the next user's session in ${where} alone`, async (t) => {
        const {server, store, tabs: [one, two], close} = browser(2);
        await one.logIn(login("ada"));
        await eventually(() => two.user);
        moveClock(t, 901_000);
        const {arrived, release} = heldRefresh(server);
        const held = server.after;
        server.after = async (seen, answer) => {
            const late = await held(seen, answer);
            return seen.path === "/auth/refresh" ? refusal() : late;
        };
        const answer = get(one);
        await arrived;
        await (other ? two : one).logIn(login("bob"));
        release();
        await answer.catch(() => {});
        await eventually(() => one.user?.id === "bob" && two.user?.id === "bob");
        assert.equal(store.record.session.user.id, "bob");
        close();
    });
}

test("a session stored by a tab unaware of the sign-out is deleted", async () => {
    const {store, tabs: [one], close} = browser(1);
    await one.logIn(login("ada"));
    const [key, stale] = [...store.items][0];
    // The other tab's last write arrives between the deletion and the end of its lock.
    const {removeItem} = Store.prototype;
    store.removeItem = function (name) {
        removeItem.call(this, name);
        delete store.removeItem;
        this.items.set(key, stale);
    };
    await one.signOut();
    await settled();
    assert.equal(store.record, null);
    close();
});

test("a sign-in that a sign-out overtook has no effect, and is ended", async () => {
    const server = new Server();
    const auth = new Latchkey(base, {fetch: server.fetch});
    let release;
    const released = new Promise((done) => { release = done; });
    server.after = async ({path}, answer) => {
        if (path === "/auth/login") await released;
        return answer;
    };
    const answer = auth.logIn(login("ada"));
    await settled();
    await auth.signOut();
    release();
    await assert.rejects(answer, code("SUPERSEDED"));
    assert.equal(auth.user, null);
    assert.deepEqual(server.requests.at(-1).body, {refreshToken: "lkr_1"});
    auth.close();
});

test("a tab that is closed during a refresh leaves a working session", async (t) => {
    const {server, store, tabs: [one], close} = browser(1);
    await one.logIn(login("ada"));
    moveClock(t, 901_000);
    const {arrived} = heldRefresh(server);
    get(one);
    await arrived;
    close();
    server.after = (_, answer) => answer;
    const next = new Latchkey(base, {fetch: server.fetch, store, locks: new Locks()});
    assert.equal((await next.restore()).id, "ada");
    assert.equal((await get(next)).status, 200);
    assert.equal(store.record.session.refreshToken, "lkr_2");
    next.close();
});

test("a store that cannot be read is not an empty one", async () => {
    const {server, store, tabs: [one], close} = browser(1);
    await one.logIn(login("ada"));
    const next = new Latchkey(base, {fetch: server.fetch, store});
    store.fails = true;
    await assert.rejects(next.restore(), code("STORE_FAILED"));
    await assert.rejects(get(next), code("STORE_FAILED"));
    assert.equal(next.user, undefined);
    store.fails = false;
    assert.equal((await next.restore()).id, "ada");
    next.close();
    close();
});

test("a rotated token that cannot be stored stays in memory, and is stored later", async (t) => {
    const {server, store, tabs: [one], close} = browser(1);
    await one.logIn(login("ada"));
    const events = [];
    one.subscribe((_, event) => events.push(event));
    moveClock(t, 901_000);
    store.fails = true;
    assert.equal((await get(one)).status, 200);
    assert.equal((await get(one)).status, 200);
    assert.equal(server.count("/auth/refresh"), 1);
    assert.ok(events.includes("storeFailed"));
    store.fails = false;
    assert.equal(store.record.session.refreshToken, "lkr_1");
    moveClock(t, 901_000);
    await get(one);
    assert.equal(server.requests.findLast(({path}) => path === "/auth/refresh")
        .body.refreshToken, "lkr_2");
    assert.equal(store.record.session.refreshToken, "lkr_3");
    close();
});

test("a sign-out that could not be stored does not remove another tab's session", async () => {
    const {server, store, tabs: [one, other], close} = browser(2);
    await one.logIn(login("ada"));
    await settled();
    store.fails = true;
    await one.signOut();
    await settled();
    store.fails = false;
    await other.logIn(login("grace"));
    await settled();
    assert.equal(store.record.session.user.id, "grace");
    assert.equal((await one.restore()).id, "grace");
    assert.equal((await get(other)).status, 200);
    close();
});

test("a sign-in while the store cannot be read replaces the stored session", async () => {
    const {server, store, tabs: [one], close} = browser(1);
    await one.logIn(login("ada"));
    close();
    const next = new Latchkey(base, {fetch: server.fetch, store});
    store.fails = true;
    await next.logIn(login("grace"));
    store.fails = false;
    assert.equal((await next.restore()).id, "grace");
    assert.equal(store.record.session.user.id, "grace");
    next.close();
});

/** A store whose calls each wait until the test lets them go on. */
function slowStore() {
    const store = new Store();
    const calls = [];
    const held = (work) => new Promise((done) => { calls.push(() => done(work())); });
    return {store, calls, slow: {
        getItem: (key) => held(() => store.getItem(key)),
        setItem: (key, value) => held(() => store.setItem(key, value)),
        removeItem: (key) => held(() => store.removeItem(key)),
    }};
}

test("a slow store has the last state in the end", async () => {
    const server = new Server();
    const {store, calls, slow} = slowStore();
    const auth = new Latchkey(base, {fetch: server.fetch, store: slow});
    const answers = [auth.logIn(login("ada"))];
    await settled();
    calls.shift()();                // the first reading
    await settled();
    answers.push(auth.signOut());
    await settled();
    while (calls.length) {          // the last call first
        calls.pop()();
        await settled();
    }
    await Promise.all(answers);
    assert.equal(store.record, null);
    auth.close();
});

test("a reading that a sign-out overtook has no effect", async () => {
    const server = new Server();
    const {store, calls, slow} = slowStore();
    const auth = new Latchkey(base, {fetch: server.fetch, store: slow});
    const signingIn = auth.logIn(login("ada"));
    await eventually(() => calls.length === 1);
    calls.shift()();                // the first reading
    await eventually(() => calls.length === 1);
    calls.shift()();                // the writing
    await signingIn;
    // Another tab has refreshed: this one reads.
    const [key, text] = [...store.items][0];
    store.items.set(key, text.replace("access-1", "access-2"));
    const channel = new BroadcastChannel(key);
    channel.postMessage(0);
    await eventually(() => calls.length === 1);
    const signingOut = auth.signOut();
    await eventually(() => calls.length === 2);
    calls.shift()();
    await settled();
    assert.equal(auth.user, null);
    calls.shift()();
    await eventually(() => calls.length === 1);
    calls.shift()();                // whether another tab wrote in between
    await signingOut;
    assert.equal(store.record, null);
    channel.close();
    auth.close();
});

test("an answer with both tokens replaces the session, another is merged", async () => {
    const {server, store, tabs: [one], close} = browser(1);
    await one.logIn(login("ada"));
    server.before = ({path}) => path === "/auth/step-up" ? new Response(JSON.stringify({
        accessToken: "stronger", tokenType: "Bearer", expiresIn: 900,
        expiresAt: Math.floor(Date.now() / 1000) + 900, acr: "aal2", amr: [], authTime: 1,
    })) : undefined;
    await one.call("POST", "/auth/step-up", {password: "secret"});
    assert.equal(store.record.session.accessToken, "stronger");
    assert.equal(store.record.session.refreshToken, "lkr_1");
    const {id} = store.record;
    server.before = ({path}) => path === "/auth/change-password"
        ? new Response(JSON.stringify(server.issue("ada"))) : undefined;
    await one.call("POST", "/auth/change-password", {});
    assert.equal(store.record.session.refreshToken, "lkr_2");
    assert.notEqual(store.record.id, id);
    close();
});

test("sign-out works without a network, and says so", async () => {
    const {server, store, tabs: [one], close} = browser(1);
    await one.logIn(login("ada"));
    server.before = () => { throw new TypeError("Failed to fetch"); };
    assert.equal(await one.signOut(), false);
    assert.equal(one.user, null);
    assert.equal(store.record, null);
    close();
});

test("deleting the account ends the session here", async (t) => {
    withoutWaiting(t);
    const {server, store, tabs: [one], close} = browser(1);
    await one.logIn(login("ada"));
    server.before = ({path}) => path === "/auth/account" ? new Response(null, {status: 204}) : null;
    await one.deleteAccount();
    assert.equal(one.user, null);
    assert.equal(store.record, null);
    close();
});

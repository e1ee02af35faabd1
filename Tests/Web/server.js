// A server in memory for the client's tests, whose answers and failures a test decides.

import {webcrypto} from "node:crypto";

globalThis.crypto ??= webcrypto;        // Node 18

export const base = "https://auth.example.com";

const json = (status, body, headers) => new Response(
    body === undefined ? null : JSON.stringify(body),
    {status, headers: {"Content-Type": "application/json", ...headers}});

export const problem = (status, code, more, headers) =>
    json(status, {error: {code, message: code, ...more}}, headers);

/** A refusal of a refresh token. */
export const refusal = () => problem(401, "INVALID_REFRESH_TOKEN", {action: "reauthenticate"});

export class Server {
    requests = [];
    /** Called with a request before it is handled: an answer or an error instead of the usual. */
    before = () => undefined;
    /** Called with a request and its answer. */
    after = (_, answer) => answer;
    /** Milliseconds by which its clock is ahead of the client's. */
    skew = 0;
    lifetime = 900;
    #live = new Map();      // refresh token: user
    #access = new Map();    // access token: {user, expiresAt}
    #successors = new Map();
    #count = 0;
    isSignedOut = false;

    now() { return Date.now() + this.skew; }

    issue(user) {
        const count = ++this.#count;
        const seconds = Math.floor(this.now() / 1000);
        const session = {
            accessToken: `access-${count}`, refreshToken: `lkr_${count}`, tokenType: "Bearer",
            expiresIn: this.lifetime, expiresAt: seconds + this.lifetime,
            user: {id: user, emailVerified: true, createdAt: "2026-01-01T00:00:00Z"},
        };
        this.#live.set(session.refreshToken, user);
        this.#access.set(session.accessToken, {user, expiresAt: session.expiresAt});
        return session;
    }

    /** Makes every access token invalid before its time. */
    forget() { this.#access.clear(); }

    paths() { return this.requests.map(({path}) => path); }
    count(path) { return this.paths().filter((other) => other === path).length; }

    fetch = async (input, init) => {
        const request = new Request(input, init);
        const {pathname: path} = new URL(request.url);
        const text = await request.clone().text();
        const body = text.startsWith("{") ? JSON.parse(text) : text;
        const {headers, method, url} = request;
        const seen = {path, body, headers, method, url, request};
        this.requests.push(seen);
        const instead = await this.before(seen);
        if (instead) return instead;
        return this.after(seen, this.#handle(path, body, headers));
    };

    #handle(path, body, headers) {
        const date = {Date: new Date(this.now()).toUTCString()};
        switch (path) {
        case "/auth/login": return json(200, this.issue(body.email), date);
        case "/auth/guest": return json(201, this.issue("guest"), date);
        case "/auth/refresh": {
            const successor = this.#successors.get(body.refreshToken);
            if (successor) return json(200, successor, date);
            const user = this.#live.get(body.refreshToken);
            if (!user) return refusal();
            this.#live.delete(body.refreshToken);
            const session = this.issue(user);
            this.#successors.set(body.refreshToken, session);
            return json(200, session, date);
        }
        case "/auth/signout":
            this.isSignedOut = true;
            this.#live.clear();
            this.#successors.clear();
            return json(200, {success: true}, date);
        default: {
            const [scheme, token] = (headers.get("Authorization") ?? "").split(" ");
            const found = this.#access.get(token);
            if (!scheme || !found || found.expiresAt * 1000 <= this.now()) {
                return problem(401, "TOKEN_EXPIRED", {}, {
                    ...date, "WWW-Authenticate": 'Bearer error="invalid_token"'});
            }
            return json(200, {user: found.user, body}, date);
        }
        }
    }
}

/** `navigator.locks` for one process. */
export class Locks {
    #last = new Map();
    request(name, work) {
        const turn = (this.#last.get(name) ?? Promise.resolve()).then(work);
        this.#last.set(name, turn.catch(() => {}));
        return turn;
    }
}

/** A `localStorage`. */
export class Store {
    items = new Map();
    fails = false;
    #check() { if (this.fails) throw new Error("QuotaExceededError"); }
    getItem(key) { this.#check(); return this.items.get(key) ?? null; }
    setItem(key, value) { this.#check(); this.items.set(key, value); }
    removeItem(key) { this.#check(); this.items.delete(key); }
    get record() { return JSON.parse([...this.items.values()][0] ?? "null"); }
}

/** Replaces waiting by noting for how long. */
export function withoutWaiting(test) {
    const waits = [];
    const {setTimeout} = globalThis;
    globalThis.setTimeout = (work, milliseconds) => {
        // A machine that is slow makes the client wait 99 ms for another tab's record.
        if (milliseconds !== 99) waits.push(milliseconds);
        return setTimeout(work, 0);
    };
    test.after(() => { globalThis.setTimeout = setTimeout; });
    return waits;
}

/** Sets this machine's clock ahead. */
export function moveClock(test, milliseconds) {
    const {now} = Date;
    const moved = () => now.call(Date) + milliseconds;
    Date.now = moved;
    test.after(() => { Date.now = now; });
}

/** Lets everything run that waits for nothing outside. */
export const settled = () => new Promise((done) => setImmediate(() => setImmediate(done)));

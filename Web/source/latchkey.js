// Sign-in for web apps, with the contract `latchkey`: docs/web-client.md.

import {randomText} from "./encoding.js";
import {AuthError, failed} from "./errors.js";
import {Passkeys} from "./passkeys.js";
import {findKey, makeKey, prove} from "./proofs.js";

export {AuthError};

const redirects = () => import("./latchkey-redirects.js").catch(failed("OFFLINE"));
const sleep = (milliseconds) => new Promise((done) => setTimeout(done, milliseconds));

export class Latchkey {
    #base;
    #name;
    #options;
    #record;                        // {id, session, offset}; null: signed out; undefined: not read
    #unsaved;                       // whether the store lacks #record
    #kept;                          // the id of the record in the store
    #saving = Promise.resolve();
    #loading;
    #epoch = 0;                     // the number of sign-ins and sign-outs
    #offset = 0;                    // the server's clock minus this device's clock, in milliseconds
    #flight;                        // the latest refresh: {spent, result, attempts}
    #updated;                       // when an answer last changed this session
    #pause;                         // {until, error}: no refresh before `until`
    #returns = {};                  // the results of redirects back from pages, by URL
    #listeners = new Set();
    #channel;
    #key;

    constructor(base, options) {
        if (base == null) throw new TypeError("Latchkey: no address");
        const store = options?.store;
        if (store && !store.getItem && !/^(local|session)Storage$/.test(store)) {
            throw new TypeError(`Latchkey: store is ${store}, not localStorage or sessionStorage`);
        }
        // `auth.example.com`, without a scheme, would be a path of this page.
        const href = /^(https?:|[./])/i.test(base) && new URL(base, globalThis.location?.href).href;
        // Tokens are sent only over TLS, or to this machine.
        if (!/^https:|^http:..(localhost|127[.\d]+|\[::1])[:/]/.test(href)) {
            throw new AuthError("FOREIGN_ORIGIN", {message: `Not https: ${base}`});
        }
        this.#base = href.replace(/\/+$/, "");
        this.#options = {
            fetch: (...request) => fetch(...request), origins: [], attempts: 5,
            timeoutSeconds: 10, ...options,
        };
        this.#name = `latchkey ${this.#base}`;
        this.passkeys = new Passkeys(
            (...request) => this.#open(...request), (...request) => this.call(...request));
    }

    // Listens only after the first use: a server that renders pages creates clients without using
    // them.
    #listen() {
        // The channel's message may arrive before the change itself. `localStorage` has its own
        // event.
        globalThis.addEventListener?.("storage", this.#changed);
        this.#channel ??= new BroadcastChannel(this.#name);
        this.#channel.onmessage = this.#changed;
        this.#channel.unref?.();
    }

    #changed = () => this.#read("changed").catch(() => {});

    // The state

    get user() {
        return this.#record && this.#record.session.user;
    }

    async restore() {
        await this.#load();
        // The response to a refresh may have been lost with the previous page.
        this.#current().catch(() => {});
        return this.user;
    }

    subscribe(listener) {
        this.#listeners.add(listener);
        listener(this.user, "subscribed");
        return () => this.#listeners.delete(listener);
    }

    close() {
        this.#channel?.close();
        this.#channel = this.#flight = null;
        globalThis.removeEventListener?.("storage", this.#changed);
        this.passkeys.cancel();
        this.#listeners.clear();
    }

    // Listeners are called outside of locks. Their errors do not reach the caller.
    #emit(event) {
        const {user} = this;
        for (const listener of this.#listeners) queueMicrotask(() => listener(user, event));
    }

    // An unreadable store is not an empty one: the next call tries again.
    #load() {
        if (!this.#loading) this.#listen();
        return this.#loading ??= this.#read("restored").catch((error) => {
            this.#loading = null;
            throw error;
        });
    }

    // A store given by name is a property of the global object. Reading it may throw in a browser
    // that refuses storage.
    get #store() {
        const {store} = this.#options;
        return store?.getItem ? store : globalThis[store];
    }

    // Another tab may have refreshed, signed out or signed in.
    async #read(event) {
        const epoch = this.#epoch;
        const known = this.#record;
        const record = await this.#stored().catch(failed("STORE_FAILED"));
        if (known !== this.#record || epoch !== this.#epoch) return;
        // Stores the unsaved record, unless another tab has signed in or out since. A new sign-in
        // also replaces a record that was never read.
        if (this.#unsaved && (this.#kept ?? record?.id) === record?.id) return this.#save();
        this.#kept = record?.id;
        this.#unsaved = 0;
        if (known && known.session.accessToken === record?.session.accessToken) return;
        this.#record = record;
        this.#offset = record?.offset ?? this.#offset;
        if (known !== record) this.#emit(event);
    }

    async #stored() {
        const store = this.#store;
        // Without a store, the session ends with the page.
        const record = store ? JSON.parse(await store.getItem(this.#name)) : this.#record ?? null;
        // A session that is bound to a key ends if the browser deletes the key.
        if (record?.session.tokenType === "DPoP") {
            this.#key ??= await findKey(this.#name);
            if (!this.#key) return null;
        }
        return record;
    }

    // A rotated token is never lost: while the store fails, the record is kept in memory and stored
    // later.
    #save() {
        this.#unsaved = 1;
        return this.#saving = this.#saving.then(async () => {
            try {
                const store = this.#store;
                await (this.#record
                    ? store?.setItem(this.#name, JSON.stringify(this.#record))
                    : store?.removeItem(this.#name));
                this.#kept = this.#record?.id;
                this.#unsaved = 0;
            } catch {
                this.#emit("storeFailed");
            }
            this.#channel?.postMessage(0);
        });
    }

    // The new session takes effect at once. A tab that began a refresh earlier may still store its
    // result, so the store is corrected once that tab has released the lock.
    async #replace(session, event) {
        const old = this.#record;
        this.#epoch++;
        this.#pause = null;
        this.#record = session && {id: randomText(), session, offset: this.#offset};
        await this.#save();
        this.#emit(event);
        if (old) {
            this.#locked(async () => {
                if ((await this.#stored())?.id === old.id) await this.#save();
            }).catch(() => {});
        }
    }

    async #update(answer) {
        const {id, session} = this.#record;
        this.#record = {id, session: {...session, ...answer}, offset: this.#offset};
        this.#pause = null;
        this.#updated = Date.now();
        await this.#save();
        this.#emit("refreshed");
    }

    #locked(work) {
        const {locks = globalThis.navigator?.locks} = this.#options;
        return locks?.request(this.#name, work) ?? work();
    }

    // Requests

    async #authorize(headers, method, url, record) {
        const {accessToken, tokenType} = record?.session ?? {};
        if (accessToken) headers.set("Authorization", `${tokenType} ${accessToken}`);
        if (this.#options.dpop || tokenType === "DPoP") {
            this.#key ??= await findKey(this.#name, await makeKey());
            headers.set("DPoP", await prove(
                this.#key, method, url, Date.now() + this.#offset, accessToken));
        }
    }

    async #request(method, path, body, record) {
        const url = this.#base + path;
        const headers = new Headers(body && {"Content-Type": "application/json"});
        await this.#authorize(headers, method, url, record);
        return this.#send(url, {method, headers, body: body && JSON.stringify(body)})
            .catch((cause) => this.#explain(url, cause));
    }

    #send(url, init) {
        return this.#options.fetch(url, {
            redirect: "error", ...init,
            signal: AbortSignal.timeout(this.#options.timeoutSeconds * 1000),
        });
    }

    // Browsers hide why a request failed, for example because of a refused preflight. A request
    // without a preflight shows the cause.
    async #explain(url, cause) {
        const ask = (mode) => this.#send(url, {mode, redirect: "follow"}).catch(() => {});
        if (cause.name === "TypeError" && globalThis.location) {
            const answer = await ask();
            // Only an error in Latchkey's own format counts: a gateway may also reject the method.
            const code = (await answer?.json().catch(() => {}))?.error?.code;
            if (code === "NOT_FOUND") throw new AuthError(code, {cause});
            if (!answer && await ask("no-cors")) failed("ORIGIN_REFUSED")(cause);
        }
        failed("OFFLINE")(cause);
    }

    async #answer(response) {
        const {status, headers, ok} = response;
        const text = await response.text().catch(failed("OFFLINE"));
        let answer, error;
        try {
            answer = text ? JSON.parse(text) : undefined;
            error = answer?.error;
        } catch {
            error = {};
        }
        // The header `Date` may be hidden from other origins, but a session contains its time of
        // issue.
        const time = (answer?.expiresAt - answer?.expiresIn) * 1000
            || Date.parse(headers.get("Date"));
        if (time) this.#offset = time - Date.now();
        if (ok && !error) return answer;
        // Gateways and proxies use other forms of errors.
        throw new AuthError(error?.code ?? "GATEWAY", {
            action: ok || /408|429|5../.test(status) ? "retry" : undefined,
            ...error, status, answer,
            // A proxy must not be able to stop refreshes for a day.
            retryAfter: Math.min(headers.get("Retry-After"), 300) || 0,
        });
    }

    // Sends a request without a token. A response with a session signs in.
    async #open(path, body) {
        await this.#load().catch(() => {});
        const epoch = this.#epoch;
        return this.#take(await this.#request("POST", path, body), epoch);
    }

    async accessToken() {
        return (await this.#current()).session.accessToken;
    }

    async call(method, path, body) {
        await this.#load();
        const epoch = this.#epoch;
        const answer = await this.#take(await this.#authorized(
            (record) => this.#request(method, path, body, record),
            (challenge) => challenge), epoch);
        // The answer has the user's new name.
        if (method + path === "PATCH/auth/me" && epoch === this.#epoch) {
            await this.#update({user: answer});
        }
        return answer;
    }

    async #take(response, epoch) {
        const answer = await this.#answer(response);
        if (answer?.accessToken) {
            if (epoch !== this.#epoch) {
                if (answer.refreshToken) await this.#revoke(answer);
                throw new AuthError("SUPERSEDED");
            }
            if (answer.refreshToken) await this.#replace(answer, "signedIn");
            else await this.#update(answer);
        }
        return answer;
    }

    async fetch(input, init) {
        const request = () => new Request(input instanceof Request ? input.clone() : input, init);
        const {origin} = new URL(request().url);
        if (![this.#base, globalThis.location?.origin, ...this.#options.origins]
            .some((trusted) => trusted && new URL(trusted).origin === origin)) {
            throw new AuthError("FOREIGN_ORIGIN", {message: `Not in origins: ${origin}`});
        }
        return this.#authorized(async (record) => {
            const next = request();
            await this.#authorize(next.headers, next.method, next.url, record);
            return this.#options.fetch(next);
        }, () => !(init?.body instanceof ReadableStream), true);
    }

    // If the access token is refused, refreshes and sends the request again, once. Does neither if
    // the server asks for a stronger proof of the user (RFC 9470). The application's own API may
    // refuse every token, and then it would refuse the successor of a new one, too.
    async #authorized(send, isRepeatable, limitsRefreshes) {
        const {session} = await this.#current();
        const response = await send({session});
        const challenge = response.headers.get("WWW-Authenticate") ?? "";
        if (response.status !== 401 || challenge.includes("insufficient_user")
            || !isRepeatable(challenge)) return response;
        if (this.#record?.session.accessToken === session.accessToken) {
            if (limitsRefreshes && (Date.now() - this.#updated) ** 2 < 1e8) return response;
            await this.#refresh(this.#record);
        }
        return send(await this.#current());
    }

    // The session, refreshed if it expires soon.
    async #current() {
        await this.#load();
        const record = this.#record;
        if (record) {
            const {expiresAt, expiresIn} = record.session;
            const left = expiresAt - (Date.now() + this.#offset) / 1000;
            if (left < Math.min(this.#options.marginSeconds ?? 60, expiresIn / 5)) {
                await this.#refresh(record).catch((error) => {
                    if (left <= 0 || !this.#record) throw error;
                });
            }
        }
        if (!this.#record) throw new AuthError("SIGNED_OUT");
        return this.#record;
    }

    // Refresh: one request for any number of callers and tabs

    #refresh(spent) {
        if (this.#flight?.spent !== spent) this.#flight = {attempts: 5, spent};
        const flight = this.#flight;
        const began = Date.now();
        return flight.result ??= this.#locked(async () => {
            // The record of the previous tab may become visible later than the release of its lock.
            if (Date.now() - began > 9) await sleep(99);
            return this.#exchange(spent);
        }).finally(() => {
            flight.result = null;
            // Repeats the refresh even without a call: a token whose response was lost counts as
            // stolen after the server's grace period of a minute (RFC 9700 section 4.14.2).
            if (this.#record === spent && flight.attempts-- > 0) setTimeout(
                () => this.#flight === flight && this.#refresh(spent).catch(() => {}),
                12_000).unref?.();
        });
    }

    async #exchange(spent) {
        const {refreshToken} = spent.session;
        const isCurrent = async () => {
            await this.#changed();
            return this.#record === spent;
        };
        for (let attempt = 1; await isCurrent(); attempt++) {
            if (this.#pause?.until > Date.now()) throw this.#pause.error;
            try {
                const session = await this.#answer(
                    await this.#request("POST", "/auth/refresh", {refreshToken}));
                if (!session?.refreshToken) failed("GATEWAY")({});
                if (await isCurrent()) await this.#update(session);
                return;
            } catch (error) {
                const {status, action, retryAfter = 0} = error;
                if (retryAfter) this.#pause = {until: Date.now() + retryAfter * 1000, error};
                // Only this refusal ends the session.
                if (action === "reauthenticate" && /40[13]/.test(status) && await isCurrent()) {
                    await this.#replace(null, "ended");
                }
                if (action !== "retry" || retryAfter > 8 || attempt >= this.#options.attempts) {
                    throw error;
                }
                // Sends the same token again: during its grace period the server returns the same
                // successor.
                await sleep((retryAfter + Math.random() * Math.min(8, 2 ** attempt / 4)) * 1000);
            }
        }
    }

    // Sign-in and sign-out

    static {
        // The path is the method's name with hyphens, unless a path follows the colon.
        for (const entry of [
            "signIn:signin", "logIn:login", "guest", "secondFactor", "register", "verifyEmail",
            "challenge", "resendVerification", "forgotPassword", "resetPassword",
            "requestLink:magic-link", "redeemLink:magic-link/redeem",
        ]) {
            const [method, path = method.replace(/[A-Z]/, "-$&").toLowerCase()] = entry.split(":");
            this.prototype[method] = function (body = {}) {
                return this.#open(`/auth/${path}`, body);
            };
        }
    }

    /** Opens Latchkey's pages, which redirect back to `returnTo`. */
    async signInWithPage(flow) {
        const {toPage} = await redirects();
        location.assign(await toPage(this.#base, this.#options, flow));
    }

    async signedInWithPage(url = location.href) {
        if (!/[?&](code|error)=/.test(url) || !url.includes("state=")) return this.restore();
        await this.#load().catch(() => {});
        const {fromPage} = await redirects();
        // The page's answer can be used once, and React's StrictMode runs each effect twice.
        await (this.#returns[url] ??=
            fromPage(this.#options, url, (...request) => this.#open(...request)));
        return this.user;
    }

    async authorize(flow) {
        const {toProvider} = await redirects();
        return toProvider(await this.challenge(), this.#options, flow);
    }

    async authorized(url = location.href) {
        const {fromProvider} = await redirects();
        return this.signIn(await fromProvider(this.#options, url));
    }

    async deleteAccount() {
        await this.call("DELETE", "/auth/account");
        await this.#replace(null, "signedOut");
    }

    async signOut(scope = "session") {
        await this.#load().catch(() => {});
        const record = this.#record;
        await this.#replace(null, "signedOut");
        return !record || this.#revoke(record.session, scope);
    }

    // Returns whether the server has ended the session.
    async #revoke({refreshToken}, scope) {
        try {
            await this.#answer(
                await this.#request("POST", "/auth/signout", {refreshToken, scope}));
            return true;
        } catch {
            return false;
        }
    }
}

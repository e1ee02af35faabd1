// One device: a client of Latchkey with its own store, and the device's part of the page.

import {Latchkey} from "./latchkey.js";
import {Authenticator} from "./authenticator.js";
import {cloned, element, time} from "./dom.js";
import {Factors} from "./factors.js";
import {Photos, samplePhoto} from "./photos.js";
import {Proof} from "./proof.js";
import {fromApple, google, toApple} from "./providers.js";
import {Steps} from "./steps.js";

export class Device {
    #auth;
    #emulator;
    #id;
    #name;
    #steps;
    #view;
    #memory;            // what this device stores in localStorage
    #linkToken;         // the token of a mailed link that was opened
    #photos;
    #proof;
    #factors;

    constructor(id, name, emulator) {
        this.#id = id;
        this.#name = name;
        this.#emulator = emulator;
        this.#view = this.#built();
        this.#steps = new Steps(
            this.#find(".steps"), id, `${emulator.controlUrl}/#/timeline`);
        this.#memory = {
            getItem: (key) => localStorage.getItem(`${id} ${key}`),
            setItem: (key, value) => localStorage.setItem(`${id} ${key}`, value),
            removeItem: (key) => localStorage.removeItem(`${id} ${key}`),
        };
        // An app usually has one session in a browser: new Latchkey(url, {store: localStorage}).
        this.#auth = new Latchkey(emulator.issuerUrl, {
            store: this.#memory, fetch: this.#steps.fetch,
            locks: {request: (lock, work) => navigator.locks.request(`${id} ${lock}`, work)},
        });
        this.#photos = new Photos(
            this.#find(".photos"), this.#auth, this.#steps.fetch, emulator.awsUrl);
        const authenticator = new Authenticator(localStorage);
        this.#proof = new Proof(
            this.#find(".proof"), authenticator, async (title, work) => {
                const step = await this.#step(title, work);
                this.#keepFocus();
                return step;
            });
        this.#factors = new Factors(
            this.#find(".factor"), this.#auth, authenticator, this.#proof, this.#memory);
        this.#auth.subscribe((user, event) => this.#show(user, event));
    }

    get view() { return this.#view; }
    restore() { return this.#auth.restore(); }

    /** The server's page or a provider has sent the browser back to this device. */
    returned(url) {
        if (url.searchParams.get("iss") === this.#emulator.issuerUrl) {
            return this.#step("Back from the server's page", async () => {
                const {displayName, email} = await this.#auth.signedInWithPage(url.href);
                return `Welcome, ${displayName ?? email}.`;
            });
        }
        const form = new URLSearchParams(url.hash.slice(1));
        return this.#step(`Back from ${form.size ? "Apple" : "Google"}`, async () => this.#entered(
            form.size ? await fromApple(this.#auth, form, this.#signIn)
                : await this.#auth.authorized(url)));
    }

    /** A mailed link was opened. Returns false if this device did not request the mail. */
    opened(purpose, token) {
        if (this.#pending?.purpose !== purpose) return false;
        this.#linkToken = token;
        this.#showWaiting();
        if (purpose === "magic-link") this.#run("finish");
        else this.#find(".waiting [name=password]").focus();
        return true;
    }

    #actions = {
        apple: ["Go to Apple", () => this.#leave(toApple(this.#auth, this.#emulator, this.#back))],
        google: ["Go to Google", () => this.#leave(this.#auth.authorize({
            ...google(this.#emulator), redirectUri: this.#back}))],
        page: ["Go to the server's page", async () => {
            await this.#auth.signInWithPage({returnTo: this.#back});
            return "It leads back here.";
        }],
        passkey: ["Sign in by passkey", async () => this.#entered(
            await this.#auth.passkeys.signIn())],
        newPasskey: ["Sign up by passkey", async () => this.#entered(
            await this.#auth.passkeys.signUp({name: "Ada"}))],
        guest: ["Go on as a guest", async () => this.#entered(
            await this.#auth.guest({device: this.#device}))],
        logIn: ["Log in", async ({email, password}) => this.#entered(
            await this.#auth.logIn({email, password, ...this.#signIn}))],
        register: ["Register", async ({email, password}) => this.#await(
            "verify-email", await this.#auth.register({email, password}))],
        link: ["Mail me a link", async ({email}) => this.#await(
            "magic-link", await this.#auth.requestLink({email}))],
        forgot: ["Forgot the password", async ({email}) => this.#await(
            "reset-password", await this.#auth.forgotPassword({email}))],
        finish: ["Answer the mail", ({code, password}) => this.#finish(code, password)],
        forget: ["Forget the mail", () => { this.#pending = undefined; }],

        me: ["Who am I?", async () => {
            const {displayName, email, id} = await this.#auth.call("GET", "/auth/me");
            return displayName ?? email ?? id;
        }],
        refresh: ["Refresh", async () => {
            await this.#refresh();
            return "A new access token, and a new refresh token instead of the old one.";
        }],
        refreshTwice: ["Refresh twice at once", () => this.#refreshTwice()],
        oldToken: ["Use an old token", () => this.#useOldToken()],
        signOut: ["Sign out", async () => await this.#auth.signOut()
            ? "Here and at the server." : "Here. The server could not be reached yet."],
        sessions: ["List the sessions", () => this.#listSessions()],
        signOutElsewhere: ["Sign out elsewhere", async () => {
            await this.#auth.call("POST", "/auth/signout", {
                refreshToken: this.#refreshToken, scope: "others"});
            return this.#listSessions();
        }],
        addPasskey: ["Add a passkey", async () => {
            const {passkeys} = await this.#auth.passkeys.add({name: this.#name});
            return `This account has ${passkeys.length}.`;
        }],
        enrol: ["Set up an authenticator app", () => this.#factors.proven(
            () => this.#factors.enrol(), () => this.#run("enrol"))],
        trust: ["Trust this device", () => this.#factors.trust()],
        unenrol: ["Turn the second factor off", () => this.#factors.unenrol()],
        deleteAccount: ["Delete the account", () => this.#factors.proven(async () => {
            await this.#auth.deleteAccount();
            return "Deleted, with all its sessions.";
        }, () => this.#run("deleteAccount"))],
        samplePhoto: ["Upload a photo", async () => this.#photos.add(
            await samplePhoto(), `photo-${Date.now()}.jpg`)],
        foreignPhoto: ["Write into another's folder", () => this.#photos.addToForeign()],
    };

    // Signing in

    get #device() { return {name: this.#name}; }
    get #signIn() { return {device: this.#device, deviceToken: this.#factors.deviceToken}; }
    get #back() { return `${location.origin}/${this.#id}`; }

    async #leave(url) {
        location.assign(await url);
        return "The browser leaves for the provider's page.";
    }

    #entered(answer) {
        if (answer.secondFactorRequired) {
            return this.#factors.answer(answer, (session) => this.#entered(session));
        }
        this.#factors.keep(answer);
        return answer.isNewUser ? "A new account." : "Welcome.";
    }

    // The secret of a mail request. Without the secret, another app cannot use a stolen link.
    get #pending() { return JSON.parse(this.#memory.getItem("pending")) ?? undefined; }
    set #pending(value) {
        this.#linkToken = undefined;
        if (value) this.#memory.setItem("pending", JSON.stringify(value));
        else this.#memory.removeItem("pending");
        this.#showWaiting();
    }

    #await(purpose, {email, requestSecret}) {
        this.#pending = {purpose, requestSecret};
        this.#find(".waiting input").focus();
        return `A mail to ${email} is on its way.`;
    }

    async #finish(code, password) {
        const {purpose, requestSecret} = this.#pending;
        const proof = this.#linkToken ? {token: this.#linkToken} : {code, requestSecret};
        if (purpose === "reset-password") {
            await this.#auth.resetPassword({...proof, newPassword: password});
            this.#pending = undefined;
            return "The password is new, and all sessions have ended. Log in with it.";
        }
        const answer = purpose === "magic-link"
            ? await this.#auth.redeemLink({requestSecret, ...proof, ...this.#signIn})
            : await this.#auth.verifyEmail({...proof, password});
        this.#pending = undefined;
        return this.#entered(answer);
    }

    // Refreshing. The client refreshes by itself; these actions show how the server answers.

    get #refreshToken() {
        const record = this.#memory.getItem(`latchkey ${this.#emulator.issuerUrl}`);
        return JSON.parse(record).session.refreshToken;
    }

    #refresh() {
        return this.#auth.call("POST", "/auth/refresh", {refreshToken: this.#refreshToken});
    }

    async #refreshTwice() {
        const other = this.#steps.fetch(`${this.#emulator.issuerUrl}/auth/refresh`, {
            method: "POST", headers: {"Content-Type": "application/json"},
            body: JSON.stringify({refreshToken: this.#refreshToken}),
        });
        const [one, two] = await Promise.all([this.#refresh(), other.then((r) => r.json())]);
        return one.refreshToken === two.refreshToken
            ? "Both got the same new refresh token: no session is lost to a race."
            : `The second one was refused: ${two.error?.code}.`;
    }

    async #useOldToken() {
        const old = this.#refreshToken;
        await this.#refresh();
        await this.#refresh();
        try {
            await this.#auth.call("POST", "/auth/refresh", {refreshToken: old});
        } catch (error) {
            // The session has ended for everybody: the server cannot know who the thief is.
            const alive = await this.#refresh().then(() => true, () => false);
            await this.#auth.signOut();
            return `${error.code}: a replaced token may be stolen. `
                + `The session is ${alive ? "alive" : "over, also for its newest token"}.`;
        }
        return "It was accepted.";
    }

    // Sessions

    async #listSessions() {
        const {sessions} = await this.#auth.call("GET", "/auth/sessions");
        const table = this.#find("table");
        table.hidden = false;
        table.tBodies[0].replaceChildren(...sessions.map((session) => this.#row(session)));
        return `${sessions.length} ${sessions.length === 1 ? "session" : "sessions"}.`;
    }

    #row({id, current, createdAt, device}) {
        const name = device?.name ?? "A browser";
        const ariaLabel = `End the session of ${name}`;
        const end = element("button", {textContent: "End", ariaLabel});
        end.onclick = () => this.#step("End a session", async () => {
            await this.#auth.call("DELETE", `/auth/sessions/${id}`);
            return this.#listSessions();
        });
        return element("tr", {},
            element("td", {textContent: current ? `${name} (this one)` : name}),
            element("td", {}, time(createdAt)), element("td", {}, ...(current ? [] : [end])));
    }

    // The page

    #find(selector) { return this.#view.querySelector(selector); }

    #built() {
        const view = cloned("device");
        const heading = view.querySelector("h2");
        heading.textContent = this.#name;
        heading.id = `device-${this.#id}`;
        view.setAttribute("aria-labelledby", heading.id);
        for (const button of view.querySelectorAll("button[data-do]:not(form button)")) {
            button.onclick = () => this.#run(button.dataset.do);
        }
        for (const form of view.querySelectorAll("form[data-do]")) {
            form.onsubmit = (event) => {
                event.preventDefault();
                this.#run(event.submitter?.dataset.do ?? form.dataset.do,
                    Object.fromEntries(new FormData(form)));
                for (const field of form.querySelectorAll("[type=password]")) field.value = "";
            };
        }
        view.querySelector(".waiting [data-do=forget]").onclick = () => this.#run("forget");
        view.querySelector("[type=file]").onchange = ({target: {files: [photo]}}) => {
            if (photo) this.#step("Upload a photo", () => this.#photos.add(photo, photo.name));
        };
        return view;
    }

    #run(name, values = {}) {
        const [title, work] = this.#actions[name];
        return this.#step(title, () => work(values));
    }

    async #step(title, work) {
        this.#find(".says").textContent = "";
        const {outcome, problem} = await this.#steps.take(title, work);
        const says = this.#find(".says");
        says.classList.toggle("problem", problem ?? false);
        says.textContent = outcome;
        return {problem};
    }

    #show(user, event) {
        if (user === undefined) return;
        const {isGuest, displayName, email, id} = user ?? {};
        this.#find(".who").textContent = user
            ? isGuest ? "A guest" : displayName ?? email ?? id : "Signed out";
        this.#find(".in").hidden = !user;
        this.#find(".out").hidden = Boolean(user);
        if (!user || event === "signedIn") {
            this.#find("table").hidden = true;
            this.#photos.clear();
            this.#factors.clear();
            this.#proof.close();
        }
        this.#showWaiting();
        if (["signedIn", "signedOut", "ended"].includes(event)) this.#keepFocus();
    }

    /** Moves the focus if the control that was used is gone. */
    #keepFocus() {
        const focused = document.activeElement;
        if (focused === document.body || !focused.checkVisibility()) this.#find("h2").focus();
    }

    #showWaiting() {
        const pending = this.#pending;
        const form = this.#find(".waiting");
        form.hidden = !pending;
        this.#find("form.mail").hidden = Boolean(pending);
        const code = form.querySelector(".code");
        code.hidden = Boolean(this.#linkToken);
        code.querySelector("input").required = !this.#linkToken;
        const password = form.querySelector(".password");
        password.hidden = !["verify-email", "reset-password"].includes(pending?.purpose);
        password.querySelector("span").textContent = pending?.purpose === "verify-email"
            ? "The password that you chose" : "A new password";
        password.querySelector("input").required = !password.hidden;
    }
}

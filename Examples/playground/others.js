// Programs of other parties that ask for access to the app: a printer, a command line, a
// television, a client of an MCP server, and a job that acts for itself. oauth.js has the client
// that they share, toolserver.js the servers that check tokens, logoutserver.js the server that is
// notified of sign-outs.

import {cloned, element} from "./dom.js";
import {LogoutServer} from "./logoutserver.js";
import {answered, Client, ProofKey, Refusal, registered} from "./oauth.js";
import {qrCode} from "./qr.js";
import {Steps} from "./steps.js";
import {Shelf, ToolServer} from "./toolserver.js";

const here = new URL(location.href);
// The code leaves the address bar before anything is loaded.
if (here.search) history.replaceState(null, "", here.pathname);

const emulator = await (await fetch("/emulator.json")).json();
for (const link of document.querySelectorAll("[data-control]")) {
    link.href = `${emulator.controlUrl}/#/${link.dataset.control}`;
}
const issuer = emulator.issuerUrl;
const redirectUri = `${location.origin}/others.html`;
// The template contains these secrets too. A real secret must not be in a page.
const secret = "a-secret-that-everybody-may-know";
const shelf = new Shelf(`${location.origin}/shelf`, "photos:read", issuer);
const tools = new ToolServer(
    `${location.origin}/mcp`, "photos:count", issuer, shelf, {id: "photo-tools", secret});
const notices = new LogoutServer("printer", "printer", issuer);

/** Runs work that must be refused. Returns the refusal, and throws if there was none. */
async function refusal(work) {
    try {
        await work();
    } catch (error) {
        if (error instanceof Refusal) return `${error.code}: ${error.message}`;
        throw error;
    }
    throw new Error("It was not refused.");
}

/** One program: its part of the page, and the state that it stores while the browser is away. */
class App {
    #id;
    #steps;
    #view = cloned("app");

    /**
     * - resources: the servers that the program requests access to; each token is for one of them.
     * - prepare: runs before each request for access.
     * - uses, attacks: further buttons by name, as [label, work]; null removes a common one.
     */
    constructor(id, {title, about, client, scope, resources, prepare, uses, attacks}) {
        Object.assign(this, {scope, resources, prepare});
        this.#id = id;
        this.#find("h2").textContent = title;
        this.#find("h2").id = `app-${id}`;
        this.#view.setAttribute("aria-labelledby", `app-${id}`);
        this.#find(".about").textContent = about;
        this.#steps = new Steps(
            this.#find(".steps"), id, `${emulator.controlUrl}/#/timeline`,
            (request) => [tools, shelf].find((server) => server.answers(request.url))
                ?.answer(request, this.fetch) ?? fetch(request));
        this.client = new Client({redirectUri, issuer, fetch: this.fetch, ...client});
        this.client.id ??= this.kept("id");
        const key = this.kept("key");
        if (key) this.client.key = new ProofKey(key);
        this.#buttons("uses", {...this.#uses, ...uses});
        this.#buttons("attacks", {...this.#attacks, ...attacks});
        document.querySelector("main").append(this.#view);
        this.#show();
    }

    get fetch() { return this.#steps.fetch; }
    get tokens() { return this.kept("tokens"); }

    kept(name) { return JSON.parse(sessionStorage.getItem(`${this.#id} ${name}`)); }

    keep(name, value) {
        if (value === undefined) sessionStorage.removeItem(`${this.#id} ${name}`);
        else sessionStorage.setItem(`${this.#id} ${name}`, JSON.stringify(value));
        return value;
    }

    /** Leaves the page. `plan` names the action that follows with the code. */
    async ask(plan = "access") {
        await this.prepare?.(this);
        const {url, ...request} = await this.client.authorization(this);
        this.keep("request", {...request, plan});
        location.assign(url);
        return "It leads back here.";
    }

    /** Returns false if the request was another program's. */
    returned(url) {
        const request = this.kept("request");
        if (!request || url.searchParams.get("state") !== request.state) return false;
        this.keep("request");
        this.#step("Back with an answer", () => this.#plans[request.plan](
            this.client.code(url, request.state), request.verifier, request.request));
        return true;
    }

    /** The resource of a token request that does not name one. */
    get #target() { return this.resources && {resource: this.resources[0]}; }

    /** Leaves the page to sign the user out of the app as well. */
    async leave() {
        const {id_token: hint} = this.tokens;
        this.keep("notice", await notices.expected(hint, this.fetch));
        this.keep("tokens");
        this.keep("leaving", true);
        location.assign(this.client.logout(hint));
        return "It leads back here.";
    }

    /** Returns false if the sign-out was not requested by this program. */
    left() {
        if (!this.kept("leaving")) return false;
        this.keep("leaving");
        this.#step("Back after the sign-out", async () => {
            const at = await notices.told(this.kept("notice"), 3, this.fetch);
            return at ? "Signed out of the app, too, and its server was told."
                : "Signed out of the app all the same. The provider tells its server later.";
        });
        return true;
    }

    async refresh(fields = this.#target) {
        return this.keep("tokens", {
            ...this.tokens, ...await this.client.refresh(this.tokens.refresh_token, fields)});
    }

    #redeem(code, verifier, client = this.client) {
        return client.redeem(code, verifier, this.#target);
    }

    #plans = {
        access: async (code, verifier) => {
            const tokens = this.keep("tokens", await this.#redeem(code, verifier));
            return `It may: ${tokens.scope}.`;
        },
        repeat: async (code, verifier, request) => {
            await this.#plans.access(code, verifier);
            location.assign(this.client.page(request));
            return "The provider shows that it is of no use any more.";
        },
        replay: async (code, verifier) => {
            const tokens = await this.#redeem(code, verifier);
            const said = await refusal(() => this.#redeem(code, verifier));
            await refusal(() => this.client.refresh(tokens.refresh_token, this.#target));
            this.keep("tokens");
            return `${said} What the first use gave is dead, too.`;
        },
        verifier: async (code, verifier) => {
            const said = await refusal(() => this.#redeem(code, "x".repeat(43)));
            await this.#plans.access(code, verifier);
            return `${said} The app itself could still use the code.`;
        },
        thief: async (code, verifier) => {
            const thief = new Client({
                ...(this.client.id === printer.id ? tool : printer), redirectUri, issuer,
                fetch: this.fetch});
            const said = await refusal(() => this.#redeem(code, verifier, thief));
            await this.#plans.access(code, verifier);
            return `${said} The app itself could still use the code.`;
        },
    };

    #uses = {
        ask: ["Ask for access", () => this.ask()],
        use: ["Who is it?", async () => {
            const {name, email, sub} = await this.client.user(this.tokens.access_token);
            return name ?? email ?? sub;
        }],
        refresh: ["Refresh", async () => `It lives ${(await this.refresh()).expires_in} s.`],
        end: ["Give it back", async () => {
            await this.client.revoke(this.tokens.refresh_token);
            this.keep("tokens");
            return "The tokens are dead.";
        }],
    };

    #attacks = {
        replay: ["Use a code twice", () => this.ask("replay")],
        verifier: ["Guess the verifier", () => this.ask("verifier")],
        thief: ["Use its code as another app", () => this.ask("thief")],
        old: ["Use an old refresh token", async () => {
            const old = this.tokens.refresh_token;
            await this.refresh();
            await this.refresh();
            const said = await refusal(() => this.client.refresh(old, this.#target));
            await refusal(() => this.refresh());
            this.keep("tokens");
            return `${said} The newest one is dead, too: somebody has stolen one.`;
        }],
        owner: ["Call the app's own API", () => refusal(async () => answered(
            await this.fetch(`${issuer}/auth/me`, {
                headers: {Authorization: `Bearer ${this.tokens.access_token}`}})))],
    };

    /** The code of a device and the address to enter it, for display; empty without a code. */
    screen(device) {
        const screen = this.#find(".screen");
        screen.hidden = !device;
        if (!device) return screen.replaceChildren();
        const link = element("a", {
            href: device.verification_uri_complete, textContent: device.verification_uri,
            target: "_blank", rel: "noopener",
        });
        const picture = new Blob([qrCode(link.href)], {type: "image/svg+xml"});
        return screen.replaceChildren(
            element("img", {
                src: URL.createObjectURL(picture), alt: `QR code of ${link.href}`,
            }),
            element("figcaption", {}, "Open ", link, " and type",
                element("strong", {textContent: device.user_code})));
    }

    async #step(title, work) {
        const step = await this.#steps.take(title, work);
        this.#find(".says").textContent = step.outcome;
        this.#find(".says").classList.toggle("problem", step.problem ?? false);
        this.#show();
    }

    #buttons(group, actions) {
        for (const [name, action] of Object.entries(actions).filter(([, action]) => action)) {
            const [label, work] = action;
            const button = element("button", {textContent: label});
            button.dataset.do = name;
            button.addEventListener("click", () => this.#step(label, () => work(this)));
            this.#find(`.${group}`).append(button);
        }
    }

    #show() {
        this.#find(".who").textContent = this.tokens ? "Has access" : "No access";
        for (const button of this.#view.querySelectorAll("[data-do]")) {
            button.disabled = !this.tokens && !withoutAccess.has(button.dataset.do);
        }
    }

    #find(selector) { return this.#view.querySelector(selector); }
}

const withoutAccess = new Set([
    "ask", "replay", "verifier", "thief", "naked", "hurry", "phish", "told", "other", "repeat",
]);
const printer = {id: "printer", secret, pushes: true};
const tool = {id: "photo-tool"};

/** The device shows a code, and polls until a person has decided. */
async function connect(app) {
    const device = await app.client.begin(app);
    app.screen(device);
    try {
        for (;;) {
            await new Promise((resolve) => { setTimeout(resolve, device.interval * 1000); });
            const tokens = await app.client.poll(device.device_code).catch((error) => {
                if (error.code !== "authorization_pending") throw error;
            });
            if (tokens) return `It may: ${app.keep("tokens", tokens).scope}.`;
        }
    } finally {
        app.screen();
    }
}

/** Binds the app's tokens to a new key, for as long as the tab is open. */
async function bind(app) {
    if (!app.client.key) {
        app.client.key = await ProofKey.made();
        app.keep("key", app.client.key.jwk);
    }
}

/** Sends an MCP request. */
async function call(app, method, token, params) {
    const response = await app.fetch(tools.url, {
        method: "POST",
        headers: {
            "Content-Type": "application/json", ...(token && {Authorization: `Bearer ${token}`}),
        },
        body: JSON.stringify({jsonrpc: "2.0", id: 1, method, params}),
    });
    const challenge = response.headers.get("WWW-Authenticate");
    if (challenge) throw new Refusal(response.status, challenge);
    const {result, error} = await answered(response);
    if (error) throw new Refusal("The tool failed", error.message);
    return result;
}

/** Calls a tool, and returns its answer. */
async function used(app, token, name, scope) {
    const params = {name, arguments: scope && {scope}};
    return (await call(app, "tools/call", token, params)).content[0].text;
}

/** An MCP client does not know the provider until the server has named it. */
async function discover(app) {
    const challenge = await refusal(() => call(app, "tools/list"));
    const [, metadata] = challenge.match(/resource_metadata="([^"]+)"/);
    const {authorization_servers: [server]} = await answered(await app.fetch(metadata));
    await answered(await app.fetch(`${server}/.well-known/oauth-authorization-server`));
    app.client.id ??= app.keep("id", await registered({
        name: "Agent", redirectUri, issuer: server, fetch: app.fetch}));
}

const apps = [
    new App("printer", {
        title: "Photo printer", client: printer, scope: "openid email offline_access",
        about: "A web app with a secret. Whoever has allowed it once is not asked again. It sends"
            + " its requests itself first, and has a server that is told of sign-outs.",
        uses: {
            leave: ["Sign out", (app) => app.leave()],
            told: ["Wait for a late notice", async (app) => {
                const notice = app.kept("notice");
                if (!notice) return "Nobody has signed out.";
                const at = await notices.told(notice, 150, app.fetch);
                return at ? `Its server was told after ${Math.round((at - notice.at) / 1000)} s.`
                    : "It has not come.";
            }],
        },
        attacks: {
            other: ["Use its request as another app", async (app) => {
                const {request} = await app.client.authorization(app);
                location.assign(new Client({...tool, issuer}).page(request));
                return "The provider shows that it knows of no such request.";
            }],
            repeat: ["Use its request twice", (app) => app.ask("repeat")],
            down: ["Sign out while its server is down", async (app) => {
                await notices.fail(app.fetch);
                return app.leave();
            }],
            forge: ["Forge a notice of a sign-out", async (app) => {
                // An ID token is signed too, and also contains the session.
                const {id_token: token} = app.tokens;
                return refusal(() => notices.session(token));
            }],
        },
    }),
    new App("tool", {
        title: "Command line", client: tool, scope: "openid email offline_access",
        prepare: bind,
        about: "A program on somebody's machine, which can keep no secret, but a key, to which its"
            + " tokens are bound. Its user is asked each time.",
        attacks: {
            steal: ["Steal its access token", async (app) => {
                const {access_token: token} = app.tokens;
                const thief = (key) => new Client({...tool, issuer, fetch: app.fetch, key});
                await refusal(() => thief().user(token));
                const key = await ProofKey.made();
                const said = await refusal(() => thief(key).user(token));
                return `${said} Neither alone nor with another key it is of any use.`;
            }],
        },
    }),
    new App("tv", {
        title: "Television", client: {id: "tv"}, scope: "openid email offline_access",
        about: "A device without a keyboard. Its user types a code on a phone, which asks each"
            + " time.",
        uses: {ask: ["Show a code", connect]},
        attacks: {
            replay: null,
            verifier: null,
            thief: ["Use its code as another app", async (app) => {
                const {device_code: code} = await app.client.begin(app);
                return refusal(() => new Client({...tool, issuer, fetch: app.fetch}).poll(code));
            }],
            hurry: ["Ask all the time", async (app) => {
                const {device_code: code} = await app.client.begin(app);
                await refusal(() => app.client.poll(code));
                return refusal(() => app.client.poll(code));
            }],
            phish: ["Send its code to somebody", async (app) => {
                const device = await app.client.begin(app);
                app.screen(device);
                const said = await refusal(() => app.client.poll(device.device_code));
                return `${said} Open the address as the victim: the page asks for the code's own`
                    + " device, says who asks and from where, and gives nothing until it is"
                    + " allowed.";
            }],
        },
    }),
    new App("agent", {
        title: "MCP client", scope: "photos:count photos:read offline_access",
        resources: [tools.url, shelf.url], prepare: discover,
        about: "A stranger that registers itself, for the tools of a server, which calls another"
            + " one in turn. This page plays both servers, too.",
        uses: {
            use: ["Call a tool", async (app) => {
                const {access_token: token} = await app.refresh();
                return used(app, token, "count_photos");
            }],
            exchange: ["Call one that asks another server", async (app) => {
                const {access_token: token} = await app.refresh();
                return used(app, token, "list_photos");
            }],
        },
        attacks: {
            elsewhere: ["Use another server's token", async (app) => {
                const {access_token: token} = await app.refresh({resource: shelf.url});
                return refusal(() => call(app, "tools/call", token));
            }],
            more: ["Let the tool ask for more", async (app) => {
                const {access_token: token} = await app.refresh();
                return refusal(() => used(app, token, "list_photos", "photos:delete"));
            }],
            late: ["Use a token that was given back", async (app) => {
                const {access_token: token} = await app.refresh();
                await app.client.revoke(app.tokens.refresh_token);
                app.keep("tokens");
                // The server accepts the token, which has not expired, until it has a new list.
                await new Promise((resolve) => { setTimeout(resolve, 5000); });
                return refusal(() => used(app, token, "count_photos"));
            }],
            naked: ["Call without a token", (app) => refusal(() => call(app, "tools/call"))],
        },
    }),
    new App("nightly", {
        title: "Nightly job", client: {id: "nightly", secret}, scope: "photos:count",
        about: "A program with a secret that acts for nobody: no person is asked.",
        uses: {
            ask: ["Get a token", async (app) => {
                const fields = {scope: app.scope, resource: tools.url};
                return `It may: ${app.keep("tokens", await app.client.own(fields)).scope}.`;
            }],
            use: ["Call a tool", (app) => used(app, app.tokens.access_token, "count_photos")],
            refresh: null,
            end: null,
        },
        attacks: {
            replay: null,
            verifier: null,
            thief: null,
            old: null,
            who: ["Ask who the user is", (app) => refusal(
                () => app.client.user(app.tokens.access_token))],
            more: ["Ask for more", (app) => refusal(
                () => app.client.own({scope: shelf.scope, resource: shelf.url}))],
        },
    }),
];
if (here.search) apps.find((app) => app.returned(here));
else apps.find((app) => app.left());

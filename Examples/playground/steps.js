// The steps of a device, each with its requests.

import {element} from "./dom.js";

const stepsMax = 12;

/** Shortens tokens and keys. The rest is enough to tell two of them apart. */
export const masked = (text) => text.replace(/[\w+/=.-]{33,}/g, (secret) =>
    /^[\da-f]{8}-/.test(secret) ? secret : `${secret.slice(0, 8)}…${secret.slice(-4)}`);

// Members with short secrets, or with a picture of one. Steps are stored in sessionStorage, so
// these are masked.
const secrets = new Set(["password", "newPassword", "secret", "uri", "qrCode", "recoveryCode",
    "recoveryCodes"]);

const readable = (text) => {
    try {
        const json = JSON.parse(text, (name, value) => secrets.has(name) ? "…" : value);
        return masked(JSON.stringify(json, null, 2));
    } catch {
        return masked(text);
    }
};

export class Steps {
    #list;
    #steps;
    #key;
    #traces;
    #send;

    /** Steps are stored, so that they survive a visit to a provider. */
    constructor(list, device, traces, send = (request) => fetch(request)) {
        this.#list = list;
        this.#key = `steps ${device}`;
        this.#traces = traces;
        this.#send = send;
        this.#steps = JSON.parse(sessionStorage.getItem(this.#key)) ?? [];
        this.#draw();
    }

    /** Does the work as a step, and shows the outcome. */
    async take(title, work) {
        const step = {title, requests: [], outcome: ""};
        this.#steps = [step, ...this.#steps.slice(0, stepsMax - 1)];
        this.#draw();
        try {
            step.outcome = await work() ?? "";
        } catch (error) {
            step.problem = true;
            step.outcome = `${error.code ?? error.name}: ${error.message}`;
        }
        this.#draw();
        return step;
    }

    /** A `fetch` that notes its requests in the newest step. */
    fetch = async (input, init) => {
        const request = new Request(input, init);
        const url = new URL(request.url);
        const noted = {method: request.method, path: url.pathname, sent: ""};
        if (request.headers.get("Content-Type")?.match(/json|urlencoded/)) {
            noted.sent = readable(await request.clone().text());
        }
        this.#steps[0]?.requests.push(noted);
        const start = performance.now();
        try {
            const response = await this.#send(request);
            noted.status = response.status;
            const trace = response.headers.get("X-Amzn-Trace-Id")
                ?? request.headers.get("X-Amzn-Trace-Id");
            noted.trace = trace?.match(/Root=([\w-]+)/)?.[1];
            if (!response.headers.get("Content-Type")?.startsWith("image/")) {
                noted.answer = readable(await response.clone().text());
            }
            return response;
        } catch (error) {
            noted.answer = error.message;
            throw error;
        } finally {
            noted.milliseconds = Math.round(performance.now() - start);
            this.#draw();
        }
    };

    #draw() {
        sessionStorage.setItem(this.#key, JSON.stringify(this.#steps));
        const open = new Set([...this.#list.querySelectorAll("details[open]")].map(({id}) => id));
        this.#list.replaceChildren(...this.#steps.map((step, index) => this.#drawn(
            step, `${this.#key} ${this.#steps.length - index}`)));
        for (const details of this.#list.querySelectorAll("details")) {
            details.open = open.has(details.id);
        }
    }

    #drawn({title, outcome, problem, requests}, id) {
        const rows = requests.map((request, index) => element("li", {},
            this.#details(request, `${id} ${index}`), ...this.#link(request)));
        return element("article", {className: problem ? "problem" : ""},
            element("h4", {textContent: title}), element("p", {textContent: outcome}),
            element("ol", {}, ...rows));
    }

    #details({method, path, status, milliseconds, sent, answer}, id) {
        const summary = element("summary", {},
            element("span", {className: "method", textContent: method}),
            element("span", {className: "path", textContent: path}),
            element("span", {
                className: status < 400 ? "status" : "status refused",
                textContent: status ?? (answer ? "failed" : "…"),
            }),
            element("span", {className: "took", textContent: `${milliseconds ?? "…"} ms`}));
        return element("details", {id}, summary,
            ...(sent ? [element("pre", {textContent: sent, tabIndex: 0})] : []),
            element("pre", {textContent: answer || "no text", tabIndex: 0}));
    }

    #link({trace}) {
        return trace ? [element("a", {
            href: `${this.#traces}/${trace}`, textContent: "trace",
            target: "_blank", rel: "noopener",
        })] : [];
    }
}

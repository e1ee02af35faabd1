// One request: its calls on a common axis of time, each with its reason and its possible actions.

import {button, duration, h, link, outcome, pre, pretty, problem, put, time} from "./dom.js";
import {get, part, post} from "./api.js";
import {emulator, shown} from "./command.js";
import {masked} from "./secrets.js";
import {Axis} from "./axis.js";
import {itemAddress, keyTexts} from "./tables.js";

const chunk = 200;
const linkedMax = 12;
const wroteMax = 12;

export class Detail {
    #place;
    #id;
    #trace;
    #isStale = false;
    #opened = new Set();        // the numbers of the calls whose details are open
    #timer;
    #active = h("div");         // the faults that may be the reason

    constructor(place, id) {
        this.#place = place;
        this.#id = id;
    }

    async load() {
        try {
            this.#trace = await get(`traces/${part(this.#id)}`);
        } catch (error) {
            if (!this.#trace) put(this.#place, back(), problem(error));
            return;
        }
        this.#draw();
        if (this.#trace.verdict !== "ok") this.#showFaults();
    }

    // A fault of a provider changes the token before this request, so no call of the request shows
    // the fault.
    async #showFaults() {
        const {faults} = await get("faults").catch(() => ({faults: []}));
        put(this.#active, faults.filter(({left}) => left !== 0).map(({id, text, hits}) =>
            h("p", {className: "note"}, link(`Fault ${id}`, "#/faults"), " is on: ",
                h("code", {}, text), `, ${hits} ${hits === 1 ? "hit" : "hits"}`)));
    }

    /** Shows the new calls of the trace. */
    refresh() {
        this.#timer ??= setTimeout(() => {
            this.#timer = undefined;
            this.load();
        }, 250);
    }

    #draw() {
        const {calls, authorization = [], title, outcome: ended, verdict, startedAt,
            durationMicroseconds} = this.#trace;
        const steps = new Set(authorization.map(({id}) => id));
        const linked = this.#trace.linked.filter(({id}) => !steps.has(id));
        const ids = calls.filter(({requestId}) => requestId).map(({requestId}) => requestId);
        const first = ids[0];
        const said = h("p", {className: "says", role: "status"});
        put(this.#place,
            back(),
            h("header", {className: "title"}, h("h2", {tabIndex: -1}, title),
                outcome(ended, verdict)),
            h("p", {className: "soft facts"}, time(startedAt),
                ` · ${duration(durationMicroseconds)}`,
                ` · ${calls.length} ${calls.length === 1 ? "call" : "calls"} · `,
                h("code", {}, this.#id)),
            h("div", {className: "row"},
                first ? [
                    link("Save as a fixture", `#/fixtures/${first}`, {className: "button"}),
                    button("Run it again", () => this.#replay(first, said)),
                    link("Tokens", `#/token/${first}`, {className: "button"}),
                ] : null),
            said,
            this.#active,
            this.#others("The authorization", authorization, "authorization"),
            this.#waterfall(calls),
            this.#others("With the same tokens", linked.slice(0, linkedMax)),
            shown(emulator("trace", this.#id)));
    }

    /** All requests of an authorization in order. This request is marked. */
    #others(title, traces, name = "") {
        return traces.length ? h("section", {}, h("h3", {}, title),
            h("ol", {className: `linked ${name}`}, traces.map((other) => h("li", {},
                time(other.startedAt), " ", link(other.title, `#/timeline/${other.id}`,
                    other.id === this.#id ? {ariaCurrent: "true"} : {}), " ",
                outcome(other.outcome, other.verdict))))) : null;
    }

    async #replay(id, said) {
        said.textContent = "Running …";
        try {
            const {traceId} = await post(`invocations/${part(id)}`);
            location.hash = `#/timeline/${traceId}`;
        } catch (error) {
            said.textContent = error.message;
        }
    }

    #waterfall(calls) {
        const axis = new Axis(calls.flatMap(({offsetMicroseconds, durationMicroseconds}) =>
            [offsetMicroseconds, offsetMicroseconds + durationMicroseconds]));
        const body = h("tbody");
        const drawn = h("table", {className: "waterfall"},
            h("caption", {className: "hidden"}, "Calls of the request in order of time"),
            h("thead", {}, h("tr", {}, h("th", {scope: "col"}, "Call"),
                h("th", {scope: "col"}, "Outcome"),
                h("th", {scope: "col", className: "bars"},
                    axis.shortened.length ? "Time, shortened" : "Time"),
                h("th", {scope: "col", className: "number"}, "Took"))), body);
        let next = 0;
        const more = h("p", {className: "soft"});
        // Rows are only made when somebody scrolls to them, because a request may have thousands.
        const add = () => {
            const end = Math.min(calls.length, next + chunk);
            body.append(...calls.slice(next, end).flatMap((call) => this.#rows(call, axis)));
            next = end;
            more.hidden = next === calls.length;
            more.textContent = `${next} of ${calls.length} calls`;
        };
        add();
        if (next < calls.length) {
            const watch = new IntersectionObserver(([entry]) => {
                if (!entry.isIntersecting) return;
                add();
                if (next === calls.length) watch.disconnect();
                else {
                    watch.unobserve(more);
                    watch.observe(more);
                }
            }, {rootMargin: "600px"});
            watch.observe(more);
        }
        return h("div", {}, drawn, more);
    }

    #rows(call, axis) {
        const start = axis.place(call.offsetMicroseconds);
        const end = axis.place(call.offsetMicroseconds + call.durationMicroseconds);
        const bar = h("i", {className: `${call.verdict} ${call.service}`});
        bar.style.left = `${start}%`;
        bar.style.width = `${Math.max(0.6, end - start)}%`;
        const track = h("span", {className: "track"}, bar);
        for (const gap of axis.shortened) {
            if (gap.start < call.offsetMicroseconds
                || gap.end > call.offsetMicroseconds + call.durationMicroseconds) continue;
            const mark = h("b", {title: `${duration(gap.end - gap.start)} in which nothing began `
                + "or ended"});
            mark.style.left = `${gap.at}%`;
            mark.style.width = `${gap.width}%`;
            track.append(mark);
        }
        const toggle = button(call.title, () => this.#toggle(call, toggle, details), {
            className: "call", ariaExpanded: String(this.#opened.has(call.number))});
        const name = h("th", {scope: "row"}, toggle);
        name.style.setProperty("--depth", Math.min(call.depth, 6));
        const details = h("tr", {className: "details", hidden: !this.#opened.has(call.number)},
            h("td", {colSpan: 4}));
        if (!details.hidden) fill(details, call);
        const why = reasons(call);
        return [
            h("tr", {className: call.verdict}, name,
                h("td", {}, outcome(call.outcome, call.verdict)),
                h("td", {className: "bars"}, track),
                h("td", {className: "number"}, duration(call.durationMicroseconds))),
            why.length ? h("tr", {className: "why"}, h("td", {colSpan: 4},
                why.map((reason) => h("p", {}, reason)))) : null,
            details,
        ].filter(Boolean);
    }

    #toggle(call, toggle, details) {
        details.hidden = !details.hidden;
        toggle.ariaExpanded = String(!details.hidden);
        if (details.hidden) this.#opened.delete(call.number);
        else {
            this.#opened.add(call.number);
            fill(details, call);
        }
    }
}

const back = () => link("← Requests", "#/timeline", {className: "back"});

/** The reason for the result of a call, and the function's own log lines about it. */
function reasons(call) {
    const found = [];
    if (call.initMicroseconds) {
        found.push(`started its process in ${duration(call.initMicroseconds)}`);
    }
    for (const id of call.faults ?? []) {
        found.push([link(`fault ${id}`, "#/faults"), " acted here"]);
    }
    if (call.reason) found.push(call.reason);
    for (const text of (call.log ?? "").split("\n")) {
        if (!text.startsWith("{")) continue;
        try {
            const {reason, code} = JSON.parse(text);
            if (reason) found.push(`logged ${[code, reason].filter(Boolean).join(": ")}`);
        } catch {
            // Lines that are not JSON are shown in the log below.
        }
    }
    return found;
}

/** The links to the resources of a call, its input and its output. */
async function fill(details, call) {
    const cell = details.firstChild;
    put(cell, h("div", {className: "row"}, items(call)), wrote(call.wrote ?? []));
    if (call.log) {
        cell.append(h("h4", {}, "Log"), pre(masked(call.log.trimEnd()), "Log"));
    }
    if (call.service !== "function" || !call.requestId) return;
    try {
        const {event, answer} = await get(`invocations/${part(call.requestId)}`);
        cell.append(h("h4", {}, "Event"), pre(masked(pretty(event)), "Event"),
            h("h4", {}, "Answer"), pre(masked(pretty(answer)), "Answer"));
    } catch (error) {
        cell.append(problem(error));
    }
}

/** The items that a call wrote, without those that a later call has written again. */
function wrote(written) {
    if (!written.length) return null;
    return [h("h4", {}, "Wrote"), h("ul", {className: "wrote"},
        written.slice(0, wroteMax).map(({table, key}) => h("li", {},
            link(keyTexts(key).join(" "), itemAddress(table, key)))),
        written.length > wroteMax ? h("li", {}, `and ${written.length - wroteMax} more`) : null)];
}

function items(call) {
    const found = [];
    const add = (text, href) => found.push(link(text, href, {className: "button"}));
    if (call.service === "dynamodb") {
        for (const name of call.resource.split(/[ ,]+/).filter(Boolean)) {
            add(`Items of ${name}`, `#/tables/${part(name)}`);
        }
    }
    if (call.service === "s3" && call.resource) {
        const [bucket, ...key] = call.resource.split("/");
        add("The object", `#/objects/${part(bucket)}/${part(key.join("/"))}`);
    }
    if (call.mail) add("The mail", `#/mail/${part(call.mail)}`);
    if (call.requestId) {
        add("Save as a fixture", `#/fixtures/${call.requestId}`);
        add("Its tokens", `#/token/${call.requestId}`);
    }
    if (call.service !== "span") {
        add("Break this call", `#/faults?${new URLSearchParams(matching(call))}`);
    }
    return found;
}

/** The match of a fault that would affect this call. */
function matching({service, operation, resource}) {
    // Faults of SMTP are configured as faults of SES.
    if (service === "smtp") return {service: "ses"};
    const match = {service};
    if (service === "route") return {service, method: operation, path: resource};
    if (operation) match.operation = operation;
    if (service === "function") match.function = resource;
    if (service === "dynamodb") match.table = resource.split(/[ ,]+/)[0];
    if (service === "provider") match.provider = resource;
    if (service === "receiver") match.path = resource;
    if (service === "s3") match.bucket = resource.split("/")[0];
    return match;
}

// The latest requests, computed from their calls. They are kept while other screens are shown.

import {h} from "./dom.js";

const keptMax = 1000;

export class Requests extends EventTarget {
    #traces = new Map();        // summaries by id, the oldest first
    #dropped = 0;

    /** @param summaries the newest first */
    constructor(summaries, stream) {
        super();
        this.#set(summaries);
        stream.addEventListener("restart", ({traces}) => {
            this.#set(traces);
            this.#tell(new Set());
        });
        stream.addEventListener("events", ({events, dropped}) => this.#add(events, dropped));
    }

    #set(summaries) {
        this.#traces.clear();
        for (const trace of summaries.toReversed()) this.#traces.set(trace.id, trace);
    }

    get size() { return this.#traces.size; }

    /** How many events were not kept. */
    get dropped() { return this.#dropped; }

    /** The newest first. */
    get newest() { return [...this.#traces.values()].reverse(); }

    #add(events, dropped) {
        this.#dropped += dropped;
        const changed = new Set();
        for (const event of events) {
            if (event.type !== "call") continue;
            this.#traces.set(event.traceId, joined(this.#traces.get(event.traceId), event));
            changed.add(event.traceId);
        }
        while (this.#traces.size > keptMax) this.#traces.delete(this.#traces.keys().next().value);
        if (changed.size) this.#tell(changed);
    }

    #tell(changed) { this.dispatchEvent(Object.assign(new Event("change"), {changed})); }
}

/** `POST /auth/signin`, `SignInFunction`, `dynamodb GetItem Table` */
export const titleOf = ({service, operation, resource}) =>
    [weight(service) === 1 ? service : "", operation, resource].filter(Boolean).join(" ");

/** A request gets the title of its most important kind of call, which is the call from outside. */
const weight = (service) => service === "route" ? 3 : service === "function" ? 2 : 1;

/** Adds a call to a request's summary. A call ends before the call that made it. */
function joined(trace, call) {
    if (trace && call.number <= trace.last) return trace;
    const weighs = weight(call.service);
    const own = {title: titleOf(call), outcome: call.outcome, verdict: call.verdict, weighs,
        scheduled: call.scheduled, startedAt: call.startedAt,
        durationMicroseconds: call.durationMicroseconds};
    if (!trace) return {id: call.traceId, callCount: 1, last: call.number, ...own};
    const next = {...trace, callCount: trace.callCount + 1, last: call.number};
    const before = trace.weighs
        ?? (/^[A-Z]+ \//.test(trace.title) ? 3 : trace.title.includes(" ") ? 1 : 2);
    return weighs > before ? {...next, ...own} : next;
}

// Background requests: schedules, preflights of browsers, fetched secrets. They are only shown if
// that is switched on; the browser remembers the switch.

const remembered = "background";
const titles = /^(?:OPTIONS \/|secrets |ssm )/;

/** The switch, and the number of hidden requests. `changed` is called when one of them changes. */
export class Background {
    #input = h("input", {type: "checkbox", checked: localStorage.getItem(remembered) === "shown"});
    view = h("label", {className: "check",
        title: "Scheduled functions, preflights and fetched secrets"}, this.#input, "Background");

    constructor(changed) {
        this.#input.onchange = () => {
            if (this.#input.checked) localStorage.setItem(remembered, "shown");
            else localStorage.removeItem(remembered);
            changed();
        };
    }

    /** Whether a request is hidden. Failed requests are always shown. */
    hides({title, verdict, scheduled}) {
        return !this.#input.checked && verdict === "ok" && (scheduled || titles.test(title));
    }
}

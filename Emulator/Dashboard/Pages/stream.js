// The events of the emulator as they happen. All tabs share one connection, because a browser
// allows only six for an origin. The tab that holds the lock has the connection, and forwards the
// events to the others. A hidden tab releases the lock. Events have numbers, so every tab can
// continue where it stopped.

import {get} from "./api.js";

const roundMilliseconds = 100;
const retryMilliseconds = 1000;

/** The number of the last event of these requests. */
const newest = (traces) => Math.max(0, ...traces.map(({last}) => last));

export class Stream extends EventTarget {
    #last;
    #source;
    #giveAway;          // releases the lock of this tab
    #pending = [];
    #dropped = 0;
    #timer;
    #channel = new BroadcastChannel("events");
    #request;           // a controller that cancels the request for the lock

    /** @param traces the requests that are known */
    constructor(traces) {
        super();
        this.#last = newest(traces);
        this.#channel.onmessage = ({data}) => {
            if (data.events) this.#take(data.events, data.dropped);
            if (data.traces) this.#restart(data.traces);
            if (data.isOpen !== undefined) this.#tell(data.isOpen);
        };
        document.addEventListener("visibilitychange", () => this.#followVisibility());
        this.#followVisibility();
    }

    get last() { return this.#last; }

    #followVisibility() {
        if (!document.hidden) return this.#ask();
        this.#request?.abort();
        this.#giveAway?.();
    }

    #ask() {
        if (this.#giveAway) return;
        this.#request?.abort();
        this.#request = new AbortController();
        const {signal} = this.#request;
        navigator.locks.request("events", {signal}, () => new Promise((end) => {
            this.#giveAway = () => {
                this.#giveAway = undefined;
                this.#source.close();
                this.#flush();
                end();
            };
            this.#open();
        })).catch((error) => {
            if (error.name !== "AbortError") throw error;
        });
    }

    #open() {
        const source = new EventSource(`/_emulator/events?after=${this.#last}`);
        this.#source = source;
        let isLost = false;
        source.onopen = () => {
            if (isLost) this.#beginAgain();
            else this.#announce(true);
        };
        // The browser reconnects automatically, with Last-Event-ID, unless it was refused.
        source.onerror = () => {
            isLost = true;
            this.#announce(false);
            if (source.readyState === EventSource.CLOSED) this.#beginAgain();
        };
        for (const type of ["call", "log"]) {
            source.addEventListener(type, ({data}) => {
                const event = JSON.parse(data);
                event.type = type;
                this.#pending.push(event);
                this.#timer ??= setTimeout(() => this.#flush(), roundMilliseconds);
            });
        }
        source.addEventListener("dropped", ({data}) => {
            this.#dropped += JSON.parse(data).count;
        });
    }

    // Another emulator may be running now, and its numbers begin again.
    async #beginAgain() {
        this.#source.close();
        if (!this.#giveAway) return;
        try {
            const {traces} = await get("traces?limit=200");
            this.#channel.postMessage({traces});
            this.#restart(traces);
        } catch {
            setTimeout(() => this.#beginAgain(), retryMilliseconds);
            return;
        }
        if (this.#giveAway) this.#open();
    }

    #restart(traces) {
        this.#last = newest(traces);
        this.dispatchEvent(Object.assign(new Event("restart"), {traces}));
    }

    #flush() {
        clearTimeout(this.#timer);
        this.#timer = undefined;
        const events = this.#pending;
        const dropped = this.#dropped;
        this.#pending = [];
        this.#dropped = 0;
        if (!events.length) return;
        this.#channel.postMessage({events, dropped});
        this.#take(events, dropped);
    }

    #take(events, dropped) {
        const fresh = events.filter(({number}) => number > this.#last);
        if (!fresh.length) return;
        this.#last = fresh.at(-1).number;
        this.dispatchEvent(Object.assign(new Event("events"), {events: fresh, dropped}));
    }

    #announce(isOpen) {
        this.#channel.postMessage({isOpen});
        this.#tell(isOpen);
    }

    #tell(isOpen) { this.dispatchEvent(Object.assign(new Event("state"), {isOpen})); }
}

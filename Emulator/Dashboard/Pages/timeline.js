// The latest requests, as they happen, and one of them with its calls.

import {h, button, duration, link, outcome, time} from "./dom.js";
import {stepAmong} from "./keys.js";
import {Background} from "./requests.js";

const shownMax = 150;
const drawMilliseconds = 120;

export function open(view, parts, query, page) { return new Timeline(view, parts, page); }

class Timeline {
    #requests;
    #rows = new Map();          // the table rows that are shown, by id
    #body = h("tbody");
    #count = h("p", {className: "soft", role: "status"});
    #search = h("input", {type: "search", placeholder: "Filter: path, status, id",
        ariaLabel: "Filter the requests"});
    #problems = h("input", {type: "checkbox"});
    #background = new Background(() => this.#draw());
    #hidden = 0;                // how many requests of the background are not shown
    #pauseButton = button("Pause", () => this.pause(), {title: "space"});
    #detail = h("section", {className: "detail", ariaLabel: "Request"});
    #hint = h("p", {className: "soft hint"});
    #shown;                     // the trace that is open
    #open;                      // the part of the page with the open trace
    #frozen;                    // what is shown while it is paused
    #timer;
    #view;

    constructor(view, parts, page) {
        this.#requests = page.requests;
        this.#view = view;
        this.#requests.addEventListener("change", this.#follow);
        this.#search.oninput = this.#problems.onchange = () => this.#draw();
        view.append(
            h("section", {className: "list", ariaLabel: "Requests"},
                h("header", {className: "title"}, h("h2", {tabIndex: -1}, "Timeline"),
                    this.#pauseButton),
                h("div", {className: "tools"}, this.#search,
                    h("label", {className: "check"}, this.#problems, "Problems"),
                    this.#background.view),
                h("table", {className: "requests"},
                    h("caption", {className: "hidden"}, "The latest requests, the newest first"),
                    h("thead", {}, h("tr", {},
                        h("th", {scope: "col"}, "Time"), h("th", {scope: "col"}, "Request"),
                        h("th", {scope: "col"}, "Outcome"),
                        h("th", {scope: "col", className: "number"}, "Took"))), this.#body),
                this.#count),
            this.#detail);
        this.#draw();
        this.move(parts);
    }

    close() {
        this.#requests.removeEventListener("change", this.#follow);
        clearTimeout(this.#timer);
    }

    async move([id]) {
        this.#shown = id;
        this.#view.classList.toggle("opened", Boolean(id));
        this.#mark();
        if (!id) {
            this.#open = undefined;
            this.#detail.replaceChildren(this.#hint);
            this.#drawHint();
            return;
        }
        const {Detail} = await import("./trace.js");
        if (this.#shown !== id) return;
        // Each trace gets its own element, so that an answer that comes too late is not shown.
        const place = h("div");
        this.#detail.replaceChildren(place);
        this.#open = new Detail(place, id);
        await this.#open.load();
    }

    step(by) {
        const links = [...this.#body.querySelectorAll("a")];
        const from = this.#rows.get(this.#shown)?.querySelector("a");
        if (from && !links.includes(document.activeElement)) from.focus();
        stepAmong(links, by);
        if (this.#shown) document.activeElement.click();
    }

    enter() { this.#body.querySelector("a:focus")?.click(); }

    back() {
        if (!this.#shown) return;
        const shown = this.#shown;
        location.hash = "#/timeline";
        this.#rows.get(shown)?.querySelector("a")?.focus();
    }

    pause() {
        this.#frozen = this.#frozen ? undefined : this.#requests.newest;
        this.#pauseButton.textContent = this.#frozen ? "Resume" : "Pause";
        this.#draw();
    }

    #follow = ({changed}) => {
        if (changed.has(this.#shown)) this.#open?.refresh();
        this.#schedule();
    };

    #schedule() {
        this.#timer ??= setTimeout(() => {
            this.#timer = undefined;
            this.#draw();
        }, drawMilliseconds);
    }

    #matching() {
        const wanted = this.#search.value.trim().toLowerCase();
        const found = [];
        this.#hidden = 0;
        for (const trace of this.#frozen ?? this.#requests.newest) {
            // The open trace remains at its place in the list.
            if (trace.id !== this.#shown && this.#background.hides(trace)) {
                this.#hidden += 1;
                continue;
            }
            if (this.#problems.checked && trace.verdict === "ok") continue;
            if (wanted && !`${trace.title} ${trace.outcome} ${trace.id}`.toLowerCase()
                .includes(wanted)) continue;
            found.push(trace);
        }
        return found;
    }

    // Rows keep their places, so that a click hits the intended row.
    #draw() {
        const found = this.#matching();
        const shown = found.slice(0, shownMax);
        const ids = new Set(shown.map(({id}) => id));
        for (const [id, row] of this.#rows) {
            if (ids.has(id)) continue;
            row.remove();
            this.#rows.delete(id);
        }
        let before = this.#body.firstChild;
        for (const trace of shown) {
            let row = this.#rows.get(trace.id);
            if (row?.trace !== trace) {
                const fresh = this.#row(trace);
                if (row) {
                    // The row's link is kept, because it may have the focus.
                    const anchor = row.querySelector("a");
                    anchor.textContent = trace.title;
                    fresh.querySelector("a").replaceWith(anchor);
                    row.replaceChildren(...fresh.childNodes);
                    row.trace = trace;
                } else {
                    row = fresh;
                }
                this.#rows.set(trace.id, row);
            }
            if (row === before) before = before.nextSibling;
            else this.#body.insertBefore(row, before);
        }
        this.#mark();
        const words = [found.length > shownMax ? `the newest ${shownMax} of ${found.length}`
            : `${found.length} ${found.length === 1 ? "request" : "requests"}`];
        if (this.#hidden) words.push(`${this.#hidden} in the background`);
        if (this.#frozen) words.push("paused");
        if (this.#requests.dropped) words.push(`${this.#requests.dropped} events were not kept`);
        const text = words.join(" · ");
        if (this.#count.textContent !== text) this.#count.textContent = text;
        this.#drawHint();
    }

    #drawHint() {
        const text = this.#requests.size > this.#hidden ? "Choose a request to see what it led to."
            : "Requests to the app appear here as they happen.";
        if (this.#hint.textContent !== text) this.#hint.textContent = text;
    }

    #row(trace) {
        const row = h("tr", {},
            h("td", {className: "when"}, time(trace.startedAt)),
            h("td", {className: "what"}, link(trace.title, `#/timeline/${trace.id}`)),
            h("td", {}, outcome(trace.outcome, trace.verdict)),
            h("td", {className: "number"}, duration(trace.durationMicroseconds)));
        row.trace = trace;
        return row;
    }

    #mark() {
        for (const [id, row] of this.#rows) {
            const anchor = row.querySelector("a");
            if (id === this.#shown) anchor.setAttribute("aria-current", "true");
            else anchor.removeAttribute("aria-current");
        }
    }
}

// The log with calls and lines, as they arrive. The number of rows on the page is limited.

import {button, duration, h, heading, link, time} from "./dom.js";
import {get} from "./api.js";
import {emulator, shown} from "./command.js";
import {titleOf} from "./requests.js";
import {masked} from "./secrets.js";

const rowsMax = 180;
const keptMax = 5000;
const drawMilliseconds = 120;

export function open(view, parts, query, page) {
    let kept = [];
    let waiting;
    let dropped = 0;
    let drawn = 0;          // the number of the newest event that is on the page
    let timer;
    const list = h("ol", {tabIndex: 0, ariaLabel: "Log"});
    const count = h("p", {className: "soft"});
    const search = h("input", {type: "search", placeholder: "Filter: text, function",
        ariaLabel: "Filter the log"});
    const lines = h("input", {type: "checkbox"});
    const speak = h("input", {type: "checkbox"});
    speak.onchange = () => {
        // Screen readers announce new lines only on request, because lines may arrive quickly.
        list.setAttribute("role", speak.checked ? "log" : "list");
    };
    const matches = (event) => {
        if (lines.checked && event.type !== "log") return false;
        const wanted = search.value.trim().toLowerCase();
        return !wanted || words(event).toLowerCase().includes(wanted);
    };
    const draw = () => {
        timer = undefined;
        const isAtEnd = list.scrollTop + list.clientHeight > list.scrollHeight - 40;
        const fresh = kept.filter(({number}) => number > drawn).filter(matches).slice(-rowsMax);
        drawn = kept.at(-1)?.number ?? drawn;
        list.append(...fresh.map(item));
        while (list.childElementCount > rowsMax) list.firstChild.remove();
        if (isAtEnd) list.scrollTop = list.scrollHeight;
        const parts_ = [`${kept.length} events`, `the newest ${list.childElementCount} are shown`];
        if (waiting) parts_.push(`paused, ${waiting.length} wait`);
        if (dropped) parts_.push(`${dropped} were not kept`);
        count.textContent = parts_.join(" · ");
    };
    const again = () => {
        drawn = 0;
        list.replaceChildren();
        draw();
    };
    const add = (events) => {
        kept.push(...events);
        if (kept.length > keptMax) {
            dropped += kept.length - keptMax;
            kept = kept.slice(-keptMax);
        }
        timer ??= setTimeout(draw, drawMilliseconds);
    };
    const take = (message) => {
        dropped += message.dropped;
        if (!waiting) return add(message.events);
        waiting.push(...message.events);
        if (waiting.length > keptMax) dropped += waiting.splice(0, waiting.length - keptMax).length;
        timer ??= setTimeout(draw, drawMilliseconds);
    };
    const pause = () => {
        const events = waiting ?? [];
        waiting = waiting ? undefined : [];
        pausing.textContent = waiting ? "Resume" : "Pause";
        add(events);
    };
    const pausing = button("Pause", pause, {title: "space"});
    search.oninput = lines.onchange = again;
    view.append(heading("Log", pausing), h("div", {className: "tools"}, search,
        h("label", {className: "check"}, lines, "Lines only"),
        h("label", {className: "check"}, speak, "Read aloud")), list, count,
    shown(emulator("events", "-f")));
    const restart = () => {
        kept = [];
        again();
    };
    page.stream.addEventListener("events", take);
    page.stream.addEventListener("restart", restart);
    get(`events?limit=1000&after=${Math.max(0, page.stream.last - 1000)}`).then(({events}) => {
        const known = new Set(kept.map(({number}) => number));
        kept = events.filter(({number}) => !known.has(number)).concat(kept);
        again();
        list.scrollTop = list.scrollHeight;
    }, () => {});
    return {
        pause,
        close() {
            page.stream.removeEventListener("events", take);
            page.stream.removeEventListener("restart", restart);
            clearTimeout(timer);
        },
    };
}

const words = (event) => event.type === "log" ? `${event.function} ${event.text}`
    : [event.service, event.operation, event.resource, event.outcome, event.reason ?? ""].join(" ");

function item(event) {
    if (event.type === "log") {
        return h("li", {}, time(event.at), h("span", {}, event.function),
            h("span", {}, masked(event.text)));
    }
    const {service, verdict, outcome, reason} = event;
    return h("li", {className: verdict}, time(event.startedAt), h("span", {}, service),
        h("span", {}, link(titleOf(event), `#/timeline/${event.traceId}`), ` ${outcome} `
            + `${duration(event.durationMicroseconds)}${reason ? `: ${reason}` : ""}`));
}

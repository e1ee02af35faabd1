// The dashboard: one screen at a time, chosen by the fragment of the address.

import {h, button} from "./dom.js";
import {get} from "./api.js";
import {Stream} from "./stream.js";
import {keys, listen} from "./keys.js";
import {Requests} from "./requests.js";
import * as timeline from "./timeline.js";

const screens = {
    timeline: async () => timeline,
    token: () => import("./tokens.js"), faults: () => import("./faults.js"),
    races: () => import("./races.js"), tables: () => import("./tables.js"),
    objects: () => import("./objects.js"), mail: () => import("./mail.js"),
    sessions: () => import("./sessions.js"), fixtures: () => import("./fixtures.js"),
    time: () => import("./time.js"), log: () => import("./log.js"),
    routes: () => import("./routes.js"),
};
const links = [...document.querySelectorAll("nav a")];
const main = document.querySelector("main");
const dialog = document.getElementById("keys");
let open;               // the screen that is shown
let visits = 0;

// The state that the screens share.
const page = {stream: undefined, requests: undefined, showFaults};

async function show() {
    const [path, query] = location.hash.replace(/^#\/?/, "").split("?");
    const [name = "timeline", ...parts] = path.split("/").filter(Boolean).map(decoded);
    const load = Object.hasOwn(screens, name) ? screens[name] : screens.timeline;
    const visit = ++visits;
    for (const link of links) {
        const isHere = link.getAttribute("href") === `#/${name}`;
        if (isHere) link.setAttribute("aria-current", "page");
        else link.removeAttribute("aria-current");
    }
    if (open?.name === name && open.screen.move) {
        open.screen.move(parts, new URLSearchParams(query));
        return;
    }
    let module;
    try {
        module = await load();
    } catch {
        // A file may be missing because another version of the emulator is running now.
        main.replaceChildren(h("p", {className: "problem", role: "alert"},
            "This page is of another version of the emulator. "),
        button("Load it again", () => location.reload()));
        return;
    }
    if (visit !== visits) return;
    const isFirst = !open;
    open?.screen.close?.();
    const view = h("div", {className: `screen ${name}`});
    main.replaceChildren(view);
    open = {name, screen: module.open(view, parts, new URLSearchParams(query), page) ?? {}};
    document.title = `${links.find((link) => link.hasAttribute("aria-current"))?.textContent
        ?? "Timeline"} · Emulator`;
    if (!isFirst) {
        scrollTo(0, 0);
        view.querySelector("h2")?.focus({preventScroll: true});
    }
}

function decoded(text) {
    try {
        return decodeURIComponent(text);
    } catch {
        return text;
    }
}

async function showFaults() {
    const faults = (await get("faults")).faults.filter(({left}) => left !== 0);
    const note = document.getElementById("faults");
    note.hidden = !faults.length;
    note.textContent = `${faults.length} ${faults.length === 1 ? "fault is" : "faults are"} on`;
}

function go(key) {
    const link = links.find((one) => one.dataset.key === key);
    if (link) location.hash = link.getAttribute("href");
    return Boolean(link);
}

function help() {
    dialog.querySelector("dl").replaceChildren(...keys.flatMap(([name, what]) =>
        [h("dt", {}, name), h("dd", {}, what)]));
    dialog.showModal();
}

for (const link of links) link.title = `g ${link.dataset.key}`;
document.getElementById("help").onclick = help;
listen({go, help, screen: () => open?.screen});

const {traces} = await get("traces?limit=200").catch(() => ({traces: []}));
page.stream = new Stream(traces);
page.stream.addEventListener("state", ({isOpen}) => {
    const state = document.getElementById("link");
    state.textContent = isOpen ? "live" : "connecting again";
    state.className = isOpen ? "" : "lost";
});
page.requests = new Requests(traces, page.stream);
addEventListener("hashchange", show);
await show();
showFaults().catch(() => {});

// The sessions of Latchkey's functions by account, with the remaining grace period of each one.

import {button, h, heading, outcome, problem, put, row, span, table, time}
    from "./dom.js";
import {get, part} from "./api.js";
import {emulator, shown} from "./command.js";
import {fill} from "./paging.js";

const words = {active: ["active", "ok"], expired: ["expired", "refused"],
    signedOutEverywhere: ["signed out", "refused"],
    accountDisabled: ["account disabled", "refused"],
    accountDeleted: ["account deleted", "refused"],
    passkeyRemoved: ["passkey removed", "refused"]};

export function open(view, parts, query, page) {
    const place = h("div");
    const people = h("div");
    const load = () => {
        const list = table("Sessions", ["Account", "Session", "State", "Device",
            ["Generation", "number"], ["Grace", "number"], "Used", "Ends"], [],
        "No sessions.");
        const notes = h("div");
        put(place, notes, list);
        fill(place, list.querySelector("tbody"), "sessions", ({sessions, notes: texts = []}) => {
            put(notes, ...texts.map((text) => h("p", {className: "soft"}, text)));
            return sessions.map(drawn);
        });
    };
    view.append(heading("Sessions", button("Load again", load)), h("p", {className: "soft"},
        "Within its grace, the refresh token before the newest gets the same successor."), place,
    shown(emulator("sessions")), h("h3", {}, "People at the identity providers"), people);
    load();
    showPeople(people);
    let timer;
    const follow = ({events}) => {
        if (!events.some(({service}) => service === "route")) return;
        timer ??= setTimeout(() => {
            timer = undefined;
            load();
        }, 500);
    };
    page.stream.addEventListener("events", follow);
    const ticking = setInterval(() => {
        for (const cell of place.querySelectorAll("[data-until]")) tick(cell);
    }, 1000);
    return {
        close() {
            page.stream.removeEventListener("events", follow);
            clearInterval(ticking);
            clearTimeout(timer);
        },
    };
}

/** Shows the people who can be chosen on the providers' pages. */
async function showPeople(place) {
    try {
        const {providers} = await get("providers");
        const lists = await Promise.all(providers.map(async (name) =>
            (await get(`providers/${part(name)}/accounts`)).accounts.map((one) => row(
                h("th", {scope: "row"}, one.email), one.name ?? "", name,
                h("code", {className: "whole"}, one.sub)))));
        put(place, table("People", ["E-mail", "Name", "Provider", "Subject"], lists.flat()));
    } catch (error) {
        put(place, problem(error));
    }
}

function drawn(one) {
    const [word, verdict] = words[one.state] ?? [one.state, "failed"];
    const grace = h("td", {className: "number"});
    if (one.graceLeftMilliseconds > 0) {
        grace.dataset.until = Date.now() + one.graceLeftMilliseconds;
        tick(grace);
    } else {
        grace.textContent = one.graceLeftMilliseconds === 0 ? "over" : "–";
    }
    return row(
        h("th", {scope: "row"},
            h("code", {className: "whole", title: one.user}, one.user.slice(0, 8))),
        h("code", {className: "whole", title: one.family}, one.family.slice(0, 8)),
        outcome(word, verdict),
        `${one.device ?? "–"} · ${one.provider}${one.isBoundToKey ? " · bound to a key" : ""}`,
        h("td", {className: "number"}, String(one.generation)), grace,
        time(one.lastUsedAt, true), time(one.expiresAt, true));
}

function tick(cell) {
    const left = (Number(cell.dataset.until) - Date.now()) / 1000;
    cell.textContent = left > 0 ? span(left) : "over";
}

// Faults: the list, presets, and a form for all others.

import {button, field, h, heading, problem, put, row, select, table} from "./dom.js";
import {get, post, remove} from "./api.js";
import {emulator, faultCommand, shown} from "./command.js";

const provider = (name) => ({service: "provider", provider: name});
const refresh = {service: "route", method: "POST", path: "/auth/refresh"};

// Each preset is a list of faults that are added together.
const presets = [
    ["Apple's keys are broken", "It signs with a new key, and its key set answers 500. A function"
        + " that fetched the set less than a minute ago does not ask again, and refuses the token.",
        ["jwks-500", "unknown-kid"].map((error) =>
            ({match: provider("apple"), effect: "error", error}))],
    ["Google's answers are late", "Its token endpoint answers after 30 seconds.",
        [{match: provider("google"), effect: "error", error: "token-timeout"}]],
    ["The answer of a refresh is lost", "Once: the new token is stored, and never arrives.",
        [{match: refresh, effect: "lose", count: 1}]],
    ["The store is slow", "Every call to DynamoDB takes 400 ms longer.",
        [{match: {service: "dynamodb"}, effect: "delay", milliseconds: 400}]],
    ["The store is busy", "It refuses the next three calls, as when there are too many.",
        [{match: {service: "dynamodb"}, effect: "throttle", count: 3}]],
    ["A write is lost", "Once: it is done, and the answer is an error.",
        [{match: {service: "dynamodb", operation: "PutItem|TransactWriteItems"}, effect: "lose",
            answer: "InternalServerError", count: 1}]],
    ["Mails are refused", "SES rejects every message.",
        [{match: {service: "ses"}, effect: "error", error: "rejected"}]],
    ["Another app's server is down", "It answers the next notice of a sign-out, or webhook, with"
        + " 503.",
        [{match: {service: "receiver"}, effect: "error", error: "ServiceUnavailable", count: 1}]],
    ["Every fifth request fails", "By chance, with 500, before a function runs.",
        [{match: {service: "route"}, effect: "error", error: "InternalServerError",
            probability: 0.2, seed: 1}]],
];

/** The values of an object, whatever their order. */
const text = (value) => JSON.stringify(value, (_, part) => part && typeof part === "object"
    && !Array.isArray(part) ? Object.fromEntries(Object.entries(part).sort()) : part);

/** The active faults of a preset; undefined unless all of its faults are on and not used up. */
function switchedOn(preset, faults) {
    const found = preset.map((fault) => faults.filter((one) => one.left !== 0
        && Object.entries(fault).every(([name, value]) => text(one[name]) === text(value))));
    return found.every((some) => some.length) ? found.flat() : undefined;
}

export function open(view, parts, query, page) { return new Faults(view, query, page); }

class Faults {
    #page;
    #list = h("div");
    #says = h("p", {className: "says", role: "status"});
    #form;
    #cards;
    #timer;

    constructor(view, query, page) {
        this.#page = page;
        this.#cards = presets.map(([title, what, faults]) => ({title, faults,
            button: button("Switch on", () => this.#add(faults, title),
                {ariaLabel: `Switch on: ${title}`}), what}));
        view.append(heading("Faults"), this.#list, this.#says,
            h("div", {className: "cards"}, this.#cards.map((card) => h("div", {className: "card"},
                h("h3", {}, card.title), h("p", {}, card.what), card.button))),
            h("h3", {id: "own"}, "A fault of your own"), this.#form = h("div"));
        this.#load();
        this.#ask(query);
        page.stream.addEventListener("events", this.#follow);
    }

    close() {
        this.#page.stream.removeEventListener("events", this.#follow);
        clearTimeout(this.#timer);
    }

    move(parts, query) { this.#ask(query); }

    // Requests change the numbers of hits and of remaining uses.
    #follow = ({events}) => {
        if (!events.some(({faults}) => faults)) return;
        this.#timer ??= setTimeout(() => {
            this.#timer = undefined;
            this.#load();
        }, 300);
    };

    async #load() {
        try {
            this.#show(await get("faults"));
        } catch (error) {
            put(this.#list, problem(error));
        }
    }

    #show({faults}) {
        const rows = [];
        const grouped = new Set();
        for (const card of this.#cards) {
            const on = switchedOn(card.faults, faults);
            this.#turn(card, on);
            // Faults that were activated together are deactivated together.
            if (!on || on.length < 2 || on.some(({id}) => grouped.has(id))) continue;
            for (const {id} of on) grouped.add(id);
            rows.push(faultRow(on, () => this.#remove(on, card.title), card.title));
        }
        for (const fault of faults) {
            if (grouped.has(fault.id)) continue;
            rows.push(faultRow([fault], () => this.#remove([fault], `Fault ${fault.id}`)));
        }
        put(this.#list, table("The active faults",
            ["Fault", ["Seen", "number"], ["Hits", "number"], ["Left", "number"], "Switch off"],
            rows, "No fault is on: everything works."));
        if (faults.length > 1) {
            this.#list.append(h("div", {className: "row"},
                button("Switch all off", () => this.#remove(), {className: "main"})));
        }
        if (faults.length) this.#list.append(shown(emulator("faults")));
        this.#page.showFaults();
    }

    /** The button of a preset. */
    #turn({title, faults, button}, on) {
        const word = on ? "Switch off" : "Switch on";
        button.textContent = word;
        button.ariaLabel = `${word}: ${title}`;
        button.onclick = () => on ? this.#remove(on, title) : this.#add(faults, title);
    }

    async #add(faults, title) {
        try {
            this.#show(await post("faults", faults));
            put(this.#says, `${title}: it is on. `);
            this.#list.scrollIntoView({block: "nearest"});
        } catch (error) {
            put(this.#says, error.message);
        }
    }

    /** Removes some faults, or all. */
    async #remove(faults, title) {
        try {
            let left;
            if (!faults) left = await remove("faults");
            for (const {id} of faults ?? []) left = await remove(`faults/${id}`);
            this.#show(left);
            this.#says.textContent = faults ? `${title}: it is off.` : "All are off.";
        } catch (error) {
            this.#says.textContent = error.message;
        }
    }

    async #ask(query) {
        try {
            const form = new FaultForm(await get("faults/known"), query,
                (fault) => this.#add(fault, "The fault"));
            put(this.#form, form.view);
            if (query.size) {
                form.view.scrollIntoView({block: "center"});
                form.view.querySelector("[name=effect]").focus();
            }
        } catch (error) {
            put(this.#form, problem(error));
        }
    }
}

const number = (value) => h("td", {className: "number"}, String(value));

/** A row for one fault, or for faults that were switched on together. */
function faultRow(faults, remove, title) {
    const sum = (name) => faults.reduce((total, fault) => total + fault[name], 0);
    const [first] = faults;
    return row(h("th", {scope: "row"}, title ?? null, faults.map((fault) =>
        h("div", {}, h("code", {}, `${fault.id}  ${fault.text}`)))),
    number(sum("seen")), number(sum("hits")),
    number(first.left === 0 ? "used up" : first.left ?? "all"),
    button("Switch off", remove,
        {ariaLabel: title ? `Switch off together: ${title}` : `Switch off fault ${first.id}`}));
}

/**
 * A form made from the emulator's own lists: the services, the fields that each can match, and the
 * effects that are possible.
 */
class FaultForm {
    #known;
    #service;
    #effect;
    #more = h("div", {className: "fields"});
    #match = h("div", {className: "fields"});
    view;

    constructor(known, query, add) {
        this.#known = known;
        const services = Object.keys(known.services);
        const asked = query.get("service");
        this.#service = select(services, {name: "service",
            value: services.includes(asked) ? asked : "dynamodb"});
        this.#effect = select([], {name: "effect"});
        this.#service.onchange = () => this.#draw(new URLSearchParams());
        this.#effect.onchange = () => this.#drawMore();
        this.view = h("form", {},
            h("div", {className: "fields"}, field("Service", this.#service),
                field("Effect", this.#effect)),
            this.#match, this.#more,
            h("div", {className: "row"}, h("button", {className: "main"}, "Switch on")),
            shown(() => faultCommand(this.#fault)));
        this.view.onsubmit = (event) => {
            event.preventDefault();
            add([this.#fault]);
        };
        this.#draw(query);
    }

    get #own() { return this.#known.services[this.#service.value]; }

    #draw(query) {
        const {match, effects, operations} = this.#own;
        put(this.#effect, ...effects.map((name) => h("option", {value: name}, name)));
        put(this.#match, ...match.map((name) => {
            const input = h("input", {name, value: query.get(name) ?? "", placeholder: "any",
                autocomplete: "off", spellcheck: false});
            if (name !== "operation" || !operations) return field(name, input);
            const list = h("datalist", {id: "operations"},
                operations.map((one) => h("option", {value: one})));
            input.setAttribute("list", "operations");
            return h("div", {}, field(name, input), list);
        }));
        this.#drawMore();
    }

    #drawMore() {
        const effect = this.#effect.value;
        const {errors} = this.#own;
        const names = Object.keys(errors);
        const fields = [];
        const about = h("p", {className: "soft"}, this.#known.effects[effect]);
        if (effect === "error") {
            const error = select(names, {name: "error"});
            const tell = () => { about.textContent = errors[error.value]; };
            error.onchange = tell;
            tell();
            fields.push(field("Error", error));
        }
        if (effect === "lose") {
            fields.push(field("Answer instead", select(["", "reset", "hang", ...names],
                {name: "answer"})));
        }
        if (effect === "delay" || effect === "hang") {
            fields.push(field("Milliseconds", h("input", {name: "milliseconds", type: "number",
                min: 1, max: 600000, value: 1000})));
        }
        fields.push(
            field("How often", h("input", {name: "count", type: "number", min: 1,
                placeholder: "always"})),
            field("Let through first", h("input", {name: "skip", type: "number", min: 0,
                placeholder: "0"})),
            field("Probability", h("input", {name: "probability", type: "number", min: 0.01, max: 1,
                step: "any", placeholder: "1"})));
        put(this.#more, ...fields, about);
    }

    get #fault() {
        const form = this.view.elements;
        const text = (name) => form[name]?.value.trim() || undefined;
        const numeric = (name) => text(name) === undefined ? undefined : Number(text(name));
        const match = {service: this.#service.value};
        for (const name of this.#own.match) if (text(name)) match[name] = text(name);
        const fault = {match, effect: this.#effect.value, error: text("error"),
            answer: text("answer")};
        for (const name of ["milliseconds", "count", "skip", "probability"]) {
            fault[name] = numeric(name);
        }
        return fault;
    }
}

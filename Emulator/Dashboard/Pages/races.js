// Concurrent requests: experiments with a verdict, and gates that hold any requests.

import {button, field, h, heading, link, outcome, problem, put, row, select, table} from "./dom.js";
import {get, post, remove} from "./api.js";
import {emulator, gateCommand, shown} from "./command.js";

const titles = {held: "Two refreshes, both have read", reordered: "The second one writes first",
    doubled: "A refresh is delivered twice", lost: "The answer is lost",
    "sign-out": "A sign-out in between"};

export function open(view, parts, query, page) {
    const result = h("section", {ariaLabel: "Verdict", "aria-live": "polite"});
    const cards = h("div", {className: "cards"});
    const list = h("div");
    const says = h("p", {className: "says", role: "status"});
    const form = h("div");
    view.append(heading("Races"), h("p", {className: "soft"},
        "Each experiment signs in anew, and shows how many refresh tokens came of one."),
    cards, result, h("h3", {}, "Gates"), list, says, h("h3", {}, "Another gate"), form);
    const show = ({gates}) => put(list, drawn(gates, act));
    const act = async (work) => {
        try {
            show(await work());
        } catch (error) {
            says.textContent = error.message;
        }
    };
    get("experiments").then(({presets}) => put(cards, ...presets.map(
        ({name, summary}) => h("div", {className: "card"}, h("h3", {}, titles[name] ?? name),
            h("p", {}, `${summary}.`),
            button("Run", ({currentTarget}) => run(result, name, currentTarget),
                {ariaLabel: `Run: ${titles[name] ?? name}`})))),
    (error) => put(cards, problem(error)));
    act(() => get("gates"));
    get("faults/known").then(({services}) => put(form, gateForm(services,
        (gate) => act(() => post("gates", gate)))),
    (error) => put(form, problem(error)));
    // Gates send no events, so waiting gates are polled.
    const asking = setInterval(() => {
        if (list.querySelector(".waiting") && !document.hidden) act(() => get("gates"));
    }, 500);
    return {close: () => clearInterval(asking)};
}

async function run(place, name, asked) {
    asked.disabled = true;
    put(place, h("p", {className: "soft"}, "Running …"));
    try {
        const made = await post(`experiments/${name}`);
        const word = made.isAsExpected ? "as expected" : "not as expected";
        put(place, h("h3", {}, titles[name] ?? name),
            table("Answers", ["Request", "Answer", "Trace"], made.answers.map(
                (one) => row(
                h("th", {scope: "row"}, one.name),
                one.status ? outcome(String(one.status), one.status < 400 ? "ok" : "refused")
                    : outcome("no answer", "failed"),
                link("Its calls", `#/timeline/${one.traceId}`)))),
            h("p", {}, `Successors issued: ${made.successors}. The session is `
                + `${made.isAlive ? "alive" : "over"}. `,
            outcome(word, made.isAsExpected ? "ok" : "failed"),
            made.isAsExpected ? "" : `: expected are ${made.expected}`),
            shown(emulator("gate", "run", name)));
    } catch (error) {
        put(place, problem(error));
    } finally {
        asked.disabled = false;
    }
}

function drawn(gates, act) {
    return table("The gates", ["Gate", "Phase", "Arrived", "Answered", "Actions"],
        gates.map((gate) => row(
            h("th", {scope: "row"}, h("code", {}, `${gate.id}  ${gate.text}`)),
            h("td", {className: gate.phase}, gate.phase),
            h("ol", {}, gate.arrived.map((text) => h("li", {}, text))),
            h("ul", {}, gate.releases.map((one) => h("li", {}, fate(one)))),
            h("span", {className: "row"},
                gate.phase === "waiting" ? button("Open",
                    () => act(() => post(`gates/${gate.id}/open`)),
                    {ariaLabel: `Open gate ${gate.id}`}) : null,
                button("Remove", () => act(() => remove(`gates/${gate.id}`)),
                    {ariaLabel: `Remove gate ${gate.id}`})))),
        "No gate holds requests.");
}

const fate = ({arrival, copy, status, dropped}) => `${arrival}${copy ? " again" : ""}: ${
    status !== undefined ? status === 0 ? "reset" : `answered ${status}`
        : dropped ? "dropped" : "not answered in time"}`;

function gateForm(services, add) {
    const service = select(Object.keys(services), {name: "service", value: "dynamodb"});
    const fields = h("div", {className: "fields"});
    const draw = () => put(fields, ...services[service.value].match.map((name) =>
        field(name, h("input", {name, placeholder: "any", autocomplete: "off",
            spellcheck: false}))));
    service.onchange = draw;
    draw();
    const form = h("form", {}, h("div", {className: "fields"}, field("Service", service),
        field("Wait for",
            h("input", {name: "arrivals", type: "number", min: 1, max: 16, value: 2})),
        field("Order", h("input", {name: "order", value: "reverse",
            title: "arrival, reverse, or numbers: 1,1,2 doubles the first"})),
        field("At most, in ms", h("input", {name: "timeout", type: "number", min: 1, max: 600000,
            value: 10000}))), fields,
    h("label", {className: "check"}, h("input", {type: "checkbox", name: "together"}),
        "All at once"),
    h("div", {className: "row"}, h("button", {className: "main"}, "Add the gate")),
    shown(() => gateCommand(gate())));
    const gate = () => {
        const {elements} = form;
        const match = {service: service.value};
        for (const name of services[service.value].match) {
            if (elements[name].value.trim()) match[name] = elements[name].value.trim();
        }
        const order = elements.order.value.trim();
        return {match, arrivals: Number(elements.arrivals.value),
            order: /^[\d,\s]+$/.test(order) ? order.split(",").map(Number) : order,
            release: elements.together.checked ? "together" : "one-by-one",
            timeoutMilliseconds: Number(elements.timeout.value)};
    };
    form.onsubmit = (event) => {
        event.preventDefault();
        add(gate());
    };
    return form;
}

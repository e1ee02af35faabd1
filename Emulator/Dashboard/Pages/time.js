// The screen of the emulator's clock: its schedules, and the items that expire.

import {button, field, h, heading, outcome, pre, problem, put, row, span, table, time}
    from "./dom.js";
import {get, part, post} from "./api.js";
import {emulator, shown} from "./command.js";

const steps = [["+1 h", 3600], ["+1 day", 86400], ["+7 days", 604800], ["−1 h", -3600]];

export function open(view) {
    const clock = h("div");
    const says = h("p", {className: "says", role: "status"});
    const answer = h("div");
    const schedules = h("div", {className: "schedules"});
    const show = (now) => put(clock, h("p", {}, "It is ", time(now.now, true), now.aheadSeconds
            ? `, ${span(Math.abs(now.aheadSeconds))} `
                + `${now.aheadSeconds > 0 ? "ahead of" : "behind"} this machine.`
            : ", as on this machine."));
    const act = async (work, done) => {
        try {
            done(await work());
        } catch (error) {
            says.textContent = error.message;
        }
    };
    const move = (seconds) => act(() => post("clock", {seconds}), (now) => {
        show(now);
        says.textContent = `Moved by ${span(seconds)}.`;
    });
    const by = h("input", {type: "number", step: 1, value: 60, name: "seconds"});
    const form = h("form", {}, h("div", {className: "row"},
        steps.map(([text, seconds]) => button(text, () => move(seconds))),
        button("Back to now", () => act(() => post("clock", {reset: true}), (now) => {
            show(now);
            says.textContent = "The clock is this machine's again.";
        }))),
    h("div", {className: "fields"}, field("By so many seconds", by),
        h("div", {}, h("button", {}, "Move"))));
    form.onsubmit = (event) => {
        event.preventDefault();
        move(Number(by.value));
    };
    const run = (name) => act(() => post(`schedules/${part(name)}`), (made) => {
        says.textContent = `${made.function} has run.`;
        put(answer, pre(made.answer, "Answer"));
    });
    view.append(heading("Time"), clock, form, says, h("h3", {}, "Schedules"), schedules, answer,
        h("h3", {}, "Expiry"),
        h("p", {className: "soft"},
            "DynamoDB deletes what has expired within days: here, at once if asked."),
        h("div", {className: "row"}, button("Delete what has expired",
            () => act(() => post("expire-now"), ({expired}) => {
                says.textContent = `${expired} ${expired === 1 ? "item is" : "items are"} deleted.`;
            }))),
        shown(() => emulator("clock", "+2h")));
    act(() => get("clock"), show);
    get("schedules").then((list) => put(schedules, table("Schedules",
        ["Schedule", "Function", "State", "Run"], list.schedules.map((one) => row(
            h("th", {scope: "row"}, one.name), one.function,
            outcome(one.enabled ? "on" : "off", one.enabled ? "ok" : "skipped"),
            button("Run now", () => run(one.name), {ariaLabel: `Run ${one.name} now`}))),
        "The template has no schedules.")),
    (error) => put(schedules, problem(error)));
}

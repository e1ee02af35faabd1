// Why a token is accepted or refused: every check in its order. An active fault comes first.

import {button, field, h, heading, outcome, pre, problem, put, row, table} from "./dom.js";
import {get, part, post} from "./api.js";
import {emulator, shown} from "./command.js";
import {masked, tokens, veil} from "./secrets.js";

export function open(view, [requestId]) {
    const token = h("textarea", {rows: 4, required: true, spellcheck: false, autocomplete: "off",
        name: "token"});
    const [audience, issuer, nonce] = ["audience", "issuer", "nonce"].map((name) =>
        h("input", {name, autocomplete: "off", spellcheck: false}));
    const found = h("div");
    const result = h("section", {ariaLabel: "Checks", "aria-live": "polite"});
    const form = h("form", {},
        field("ID token, access token or refresh token", token),
        h("details", {}, h("summary", {}, "Expected values"),
            field("Audience", audience), field("Issuer, or a provider's name", issuer),
            field("Nonce", nonce)),
        h("div", {className: "row"}, h("button", {className: "main"}, "Explain")));
    form.onsubmit = (event) => {
        event.preventDefault();
        explain(result, {token: token.value.trim(), ...named({audience, issuer, nonce})});
    };
    view.append(heading("Token"), h("p", {className: "soft"},
        "The token is neither logged nor kept."), found, form, result);
    // The token of a request is not written into the field, so that it remains masked.
    const show = ([id]) => {
        found.replaceChildren();
        if (id) choose(found, id, (chosen) => explain(result, {token: chosen}));
    };
    show([requestId]);
    return {move: show};
}

const named = (inputs) => Object.fromEntries(Object.entries(inputs)
    .map(([name, {value}]) => [name, value.trim()]).filter(([, value]) => value));

/** Shows the tokens in a request and its response. */
async function choose(place, requestId, take) {
    try {
        const {event, answer, function: name} = await get(`invocations/${part(requestId)}`);
        const groups = [["It got", tokens(event)], ["It answered", tokens(answer)]];
        const all = groups.flatMap(([, list]) => list);
        put(place, h("h3", {}, `Tokens of ${name}`), all.length
            ? h("ul", {className: "linked"}, groups.flatMap(([what, list]) => list.map((token) =>
                h("li", {}, `${what} `, veil(token), " ", button("Explain", () => take(token))))))
            : h("p", {className: "soft"}, "This request had no token."));
        if (all.length) take(all[0]);
    } catch (error) {
        put(place, problem(error));
    }
}

const verdicts = {passed: "ok", failed: "failed", skipped: "skipped", undecided: "skipped"};

async function explain(place, question) {
    try {
        const answer = await post("tokens/explain", question);
        put(place, h("header", {className: "title"}, h("h3", {}, answer.token),
                outcome(answer.verdict, verdicts[answer.verdict])),
            h("p", {}, answer.firstFailure ? h("strong", {}, `${answer.firstFailure}: `) : null,
                answer.explanation),
            table("The checks, in their order", ["Check", "Verdict", "Value", "Expected", "Why"],
                answer.checks.map((check) => row(
                    h("th", {scope: "row"}, check.check),
                    outcome(check.verdict, verdicts[check.verdict]),
                    h("code", {}, value(check.value)), h("code", {}, check.expected ?? ""),
                    check.explanation))),
            ...["header", "claims"].filter((name) => answer[name]).map((name) => h("details", {},
                h("summary", {}, name === "header" ? "Header" : "Claims"),
                pre(masked(JSON.stringify(answer[name], null, 2)), name))),
            shown(`printf %s "$TOKEN" | ${emulator("explain", "-",
                ...["audience", "issuer", "nonce"].flatMap((name) =>
                    question[name] ? [`--${name}`, question[name]] : []))}`));
    } catch (error) {
        put(place, problem(error));
    }
}

const value = (json) => json === undefined ? "" : typeof json === "string" ? json
    : JSON.stringify(json);


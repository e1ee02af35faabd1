// Addresses, routes, functions with their problems, and differences from AWS.

import {h, heading, link, problem, put, row, table} from "./dom.js";
import {get} from "./api.js";

export function open(view) {
    const place = h("div");
    view.append(heading("Routes"), place);
    show(place);
}

function list(title, lines) {
    return lines.length ? h("div", {}, h("h3", {}, title),
        h("ul", {}, lines.map((one) => h("li", {}, one)))) : "";
}

async function show(place) {
    try {
        const index = await get("");
        const {template, app, aws, playground, routes, functions, paths, problems} = index;
        const differences = index.warnings.filter((one) => !problems.includes(one));
        put(place, h("p", {className: "soft"}, template), list("Problems", problems),
            table("Addresses", ["What", "Address"], [
                ...playground ? [row(h("th", {scope: "row"}, "Playground"),
                    link(playground, playground))] : [],
                row(h("th", {scope: "row"}, "App"), h("code", {}, app)),
                row(h("th", {scope: "row"}, "AWS services"), h("code", {}, aws)),
            ]),
            h("h3", {}, "Routes"),
            table("Routes", ["Route", "Function"], routes.map((one) => row(
                h("th", {scope: "row"},
                    one.url ? link(one.text, one.url) : h("code", {}, one.text)),
                one.function))),
            h("h3", {}, "Functions"),
            table("Functions", ["Function", "Runtime"], functions.map((one) => row(
                h("th", {scope: "row"}, one.name), one.runtime))),
            h("h3", {}, "For scripts"),
            table("For scripts", ["Address", "What"], Object.entries(paths).map(
                ([path, what]) => row(
                h("th", {scope: "row"}, link(path, path)), what))),
            list("Differences from AWS", differences));
    } catch (error) {
        put(place, problem(error));
    }
}

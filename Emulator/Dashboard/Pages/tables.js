// The tables of DynamoDB, and their items.

import {bytes, h, heading, link, pre, row, table} from "./dom.js";
import {part} from "./api.js";
import {emulator, shown} from "./command.js";
import {fill} from "./paging.js";
import {masked} from "./secrets.js";

export function open(view, [name]) {
    if (name) items(view, name);
    else tables(view);
    return {back: () => { location.hash = "#/tables"; }};
}

function tables(view) {
    const list = table("Tables",
        ["Table", "Key", "Indexes", ["Items", "number"], ["Size", "number"]], []);
    view.append(heading("Tables"), list);
    fill(view, list.querySelector("tbody"), "tables", (answer) => answer.tables.map((one) => row(
        h("th", {scope: "row"}, link(one.name, `#/tables/${part(one.name)}`)),
        h("code", {}, one.keySchema.map(({attribute, name}) => attribute ?? name).join(", ")),
        one.indexes.join(", ") || "none",
        h("td", {className: "number"}, String(one.itemCount)),
        h("td", {className: "number"}, bytes(one.bytes)))));
    view.append(shown(emulator("tables")));
}

function items(view, name) {
    const search = h("input", {type: "search", placeholder: "Filter these items",
        ariaLabel: "Filter the items"});
    const list = table(`Items of ${name}`, ["Key", "Item"], [], "This table has no items.");
    const body = list.querySelector("tbody");
    search.oninput = () => {
        const wanted = search.value.toLowerCase();
        for (const one of body.rows) {
            one.hidden = wanted !== "" && !one.text?.includes(wanted);
        }
    };
    view.append(heading(name, link("All tables", "#/tables")),
        h("div", {className: "tools"}, search), list);
    fill(view, body, `tables/${part(name)}/items?limit=50`, ({items: found, keySchema}) => {
        const keys = keySchema.map(({attribute, name: own}) => attribute ?? own);
        return found.map((item) => {
            const text = JSON.stringify(plain({M: item}), null, 2);
            const made = row(
                h("th", {scope: "row"}, keys.map((key) => h("code", {className: "key"},
                    String(plain(item[key]))))),
                h("details", {}, h("summary", {},
                    `${Object.keys(item).length - keys.length} attributes`),
                pre(masked(text), "Item")));
            made.text = text.toLowerCase();
            return made;
        });
    });
    view.append(shown(emulator("tables", name)));
}

/** DynamoDB's JSON without its types. */
function plain(value) {
    if (value === undefined) return "";
    const [[type, content]] = Object.entries(value);
    return {
        M: () => Object.fromEntries(
            Object.entries(content).map(([name, one]) => [name, plain(one)])),
        L: () => content.map(plain), N: () => Number(content), NULL: () => null,
        NS: () => content.map(Number),
    }[type]?.() ?? content;
}

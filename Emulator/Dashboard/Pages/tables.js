// The tables of DynamoDB, and their items, each with the request that wrote it last.

import {bytes, h, heading, link, pre, put, row, table, time} from "./dom.js";
import {part} from "./api.js";
import {emulator, shown} from "./command.js";
import {fill} from "./paging.js";
import {masked} from "./secrets.js";

export function open(view, [name], query) {
    if (name) items(view, name, query.get("key"));
    else tables(view);
    return {back: () => {
        location.hash = query.has("key") ? `#/tables/${part(name)}` : "#/tables";
    }};
}

/** The address of an item's screen. */
export const itemAddress = (name, key) =>
    `#/tables/${part(name)}?key=${encodeURIComponent(JSON.stringify(key))}`;

/** The values of a key. */
export const keyTexts = (key) => Object.values(key).map((value) => String(plain(value)));

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

/** @param key in DynamoDB's JSON, to show only the item with this key */
function items(view, name, key) {
    const search = h("input", {type: "search", placeholder: "Filter these items",
        ariaLabel: "Filter the items"});
    const list = table(`Items of ${name}`, ["Key", "Item", ...key ? [] : ["Written by"]], [],
        key ? "There is no item with this key." : "This table has no items.");
    const body = list.querySelector("tbody");
    search.oninput = () => {
        const wanted = search.value.toLowerCase();
        for (const one of body.rows) {
            one.hidden = wanted !== "" && !one.text?.includes(wanted);
        }
    };
    view.append(heading(name, key ? link("All items", `#/tables/${part(name)}`)
        : link("All tables", "#/tables")));
    const only = h("p", {});            // who wrote the one item: a phone has no room for a column
    view.append(key ? only : h("div", {className: "tools"}, search), list);
    const path = `tables/${part(name)}/items?${key ? `key=${part(key)}` : "limit=50"}`;
    fill(view, body, path, ({items: found, keySchema, writers}) => {
        const keys = keySchema.map(({attribute, name: own}) => attribute ?? own);
        return found.map((item, index) => {
            const text = JSON.stringify(plain({M: item}), null, 2);
            const others = Object.keys(item).length - keys.length;
            const made = row(
                h("th", {scope: "row"}, keys.map((key) => h("code", {className: "key"},
                    String(plain(item[key]))))),
                h("details", {open: Boolean(key)}, h("summary", {},
                    `${others} ${others === 1 ? "attribute" : "attributes"}`),
                pre(masked(text), "Item")),
                ...key ? [] : [h("td", {}, writer(writers[index]))]);
            if (key) put(only, "Written by ", writer(writers[index]));
            made.text = text.toLowerCase();
            return made;
        });
    });
    view.append(shown(key ? emulator("tables", name, "--key", key) : emulator("tables", name)));
}

/** The request is known if its call is still kept. */
function writer(known) {
    if (!known) return h("span", {className: "soft"}, "a request that is not known");
    return [link(known.title, `#/timeline/${known.traceId}`), " ",
        h("span", {className: "soft"}, time(known.startedAt), ` ${known.operation}`)];
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

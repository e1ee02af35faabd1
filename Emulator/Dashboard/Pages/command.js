// The command line for each action of the page.

import {button, h} from "./dom.js";

const quoted = (word) => /^[\w.,:/@=+-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;

/** A line for a shell. */
export const line = (...words) => words.filter((word) => word !== undefined && word !== "")
    .map((word) => quoted(String(word))).join(" ");

const usualPort = "8002";

/** A command that finds this emulator. */
export const emulator = (...words) => line("emulator", ...words,
    ...(location.port === usualPort ? [] : ["--url", location.origin]));

const controls = () => `${location.origin}/_emulator/`;

export function curl(method, path, body) {
    const words = ["curl", "-s"];
    if (method !== "GET") words.push("-X", method);
    if (body !== undefined) {
        words.push("-H", "Content-Type: application/json", "-d", JSON.stringify(body));
    }
    return line(...words, controls() + path);
}

/** Shows a command on request. */
export function shown(command) {
    const text = h("code", {}, typeof command === "string" ? command : "");
    const copy = button("Copy", async ({currentTarget}) => {
        try {
            await navigator.clipboard.writeText(text.textContent);
            currentTarget.textContent = "Copied";
        } catch {
            getSelection().selectAllChildren(text);
        }
    });
    const box = h("details", {className: "command"}, h("summary", {}, "As a command"),
        h("div", {}, text, copy));
    if (typeof command !== "string") {
        box.addEventListener("toggle", () => { text.textContent = command(); });
    }
    return box;
}

const flags = ["method", "path", "operation", "table", "function", "bucket", "provider",
    "contains"];

/** `--operation PutItem --table Table` */
const matching = (match) => flags.flatMap((name) => match[name] ? [`--${name}`, match[name]] : []);

export function faultCommand({match, effect, error, answer, milliseconds, count, skip, probability,
    seed}) {
    const more = {error, answer, milliseconds, count, skip, probability, seed};
    return emulator("faults", "add", match.service, effect, ...matching(match),
        ...Object.entries(more).flatMap(([name, value]) =>
            value ? [`--${name}`, value] : []));
}

export function gateCommand({match, arrivals, order, release, timeoutMilliseconds}) {
    return emulator("gate", "add", match.service, ...matching(match), "--arrivals", arrivals,
        "--order", Array.isArray(order) ? order.join(",") : order,
        ...(release === "together" ? ["--together"] : []),
        ...(timeoutMilliseconds ? ["--timeout", timeoutMilliseconds] : []));
}

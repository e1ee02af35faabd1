// Makes a fixture of any past request: its event, its answer, and the state that it needs.

import {button, duration, h, heading, link, outcome, pre, problem, put, row, table, time}
    from "./dom.js";
import {get, part, post, replace} from "./api.js";
import {emulator, line, shown} from "./command.js";
import {Background} from "./requests.js";
import {masked} from "./secrets.js";

const words = {answered: "ok", failed: "failed", timedOut: "failed", throttled: "refused"};

export function open(view, parts) {
    const made = h("section", {ariaLabel: "Fixture"});
    const list = h("section", {ariaLabel: "Invocations"});
    let invocations = [];
    const background = new Background(() => showList(list, invocations, background));
    view.append(heading("Fixtures", background.view),
        h("div", {className: "sides"}, list, made));
    get("invocations?limit=1000&bodies=0").then((all) => {
        invocations = all.invocations;
        showList(list, invocations, background);
    }, (error) => put(list, problem(error)));
    const move = ([id]) => id ? show(made, id) : made.replaceChildren();
    move(parts);
    return {move, back: () => { location.hash = "#/fixtures"; }};
}

const shownMax = 100;

function showList(place, invocations, background) {
    const found = invocations.filter(({function: title, status, scheduled}) =>
        !background.hides({title, verdict: words[status], scheduled}));
    const hidden = invocations.length - found.length;
    put(place, h("h3", {}, "The last invocations"),
        hidden ? h("p", {className: "soft"}, `${hidden} in the background`) : null,
        table("The last invocations",
            ["Time", "Function", "Status", ["Took", "number"], "Fixture"],
            found.slice(0, shownMax).map((one) => row(time(one.startedAt),
                h("th", {scope: "row"}, link(one.function, `#/timeline/${one.traceId}`)),
                outcome(one.status, words[one.status]),
                h("td", {className: "number"}, duration(one.durationMicroseconds)),
                link("Make one", `#/fixtures/${one.requestId}`,
                    {ariaLabel: `Make a fixture of ${one.function}`})))));
}

async function show(place, id) {
    try {
        const fixture = await get(`recordings/${part(id)}`);
        const {files, steps, notes, name, function: of, events, replay: by} = fixture;
        const says = h("div", {role: "status"});
        put(place, h("h3", {}, name),
            h("p", {className: "soft"}, `Of ${of}, ${steps
                ? `after ${steps} earlier ${steps === 1 ? "request" : "requests"}` : "alone"}.`),
            notes.map((note) => h("p", {className: "note"}, note)),
            h("div", {className: "row"},
                events ? button(`Put it into ${events}`, ({currentTarget}) =>
                    save(id, currentTarget, says), {className: "main"}) : null,
                button("Download it", () => download(fixture),
                    {className: events ? "" : "main"})),
            says,
            files.map(({name: file, content}) => h("details", {},
                h("summary", {}, file), pre(masked(content), file))),
            shown(() => `${emulator("record", id, "--into", events ?? "Events")} && ${line(
                "emulator", "replay", events ?? "Events", "--only", name, ...by)}`));
    } catch (error) {
        put(place, problem(error));
    }
}

/** Writes the fixture into the folder that was given to the emulator, and offers to replay them. */
async function save(id, pressed, says) {
    pressed.disabled = true;
    try {
        const {name, path} = await replace(`recordings/${part(id)}`);
        const run = button("Replay it", () => replay(name, run, says.lastChild));
        put(says, h("p", {}, "Written: ", path), h("div", {className: "row"}, run),
            h("div"));
    } catch (error) {
        put(says, problem(error));
    }
    pressed.disabled = false;
}

async function replay(name, pressed, place) {
    pressed.disabled = true;
    put(place, h("p", {className: "soft"}, "Replaying …"));
    try {
        const {passed, text} = await post(`replays/${name}`);
        put(place, outcome(passed ? "passed" : "failed", passed ? "ok" : "failed"),
            pre(masked(text), "Replay"));
    } catch (error) {
        put(place, problem(error));
    }
    pressed.disabled = false;
}

/**
 * Makes one archive of the files, for unpacking in the folder of the fixtures (POSIX.1-2024, pax,
 * "ustar Interchange Format").
 */
function download({files, name}) {
    const blob = new Blob(files.flatMap(({name: file, content}) => entry(file, content))
        .concat(new Uint8Array(1024)), {type: "application/x-tar"});
    const url = URL.createObjectURL(blob);
    h("a", {href: url, download: `${name.replaceAll("/", "-")}.tar`}).click();
    setTimeout(() => URL.revokeObjectURL(url), 1000);
}

function entry(name, content) {
    const bytes = (text) => new TextEncoder().encode(text);
    const body = bytes(content);
    const head = new Uint8Array(512);
    const octal = (value, length) => `${value.toString(8).padStart(length - 1, "0")}\0`;
    const put = (text, at) => head.set(bytes(text), at);
    // If a name is too long, its folder is stored in a separate field.
    const cut = name.length > 100 ? name.lastIndexOf("/", 155) : -1;
    put(name.slice(cut + 1), 0);
    if (cut > 0) put(name.slice(0, cut), 345);
    put(octal(0o644, 8), 100);
    put(octal(0, 8), 108);
    put(octal(0, 8), 116);
    put(octal(body.length, 12), 124);
    put(octal(Math.floor(Date.now() / 1000), 12), 136);
    put(" ".repeat(8), 148);
    put("0ustar\0" + "00", 156);
    put(`${octal(head.reduce((sum, byte) => sum + byte, 0), 7)} `, 148);
    return [head, body, new Uint8Array((512 - body.length % 512) % 512)];
}

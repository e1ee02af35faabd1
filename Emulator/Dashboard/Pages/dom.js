// The page's only way to make elements. Text is always a text node: nothing becomes markup.

/** An element. Names with a dash and `role` are attributes, others are properties. */
export function h(name, properties = {}, ...children) {
    const element = document.createElement(name);
    for (const [key, value] of Object.entries(properties)) {
        if (value === undefined || value === null) continue;
        if (key.includes("-") || key === "role" || key === "scope" || key === "for") {
            element.setAttribute(key, value);
        } else {
            element[key] = value;
        }
    }
    element.append(...flat(children));
    return element;
}

const flat = (children) => children.flat(3)
    .filter((child) => child !== null && child !== undefined);

/** Replaces the content of an element. */
export const put = (place, ...children) => place.replaceChildren(...flat(children));

/** A table with a header. A column is its title, or its title and class. */
export function table(caption, columns, rows, empty = "Nothing yet.") {
    const heads = columns.map((column) => Array.isArray(column)
        ? h("th", {scope: "col", className: column[1]}, column[0])
        : h("th", {scope: "col"}, column));
    const body = h("tbody", {}, rows.length ? rows : h("tr", {className: "empty"},
        h("td", {colSpan: columns.length}, empty)));
    return h("div", {className: "scroll", tabIndex: 0, role: "region", "aria-label": caption},
        h("table", {}, h("caption", {className: "hidden"}, caption),
            h("thead", {}, h("tr", {}, heads)), body));
}

export const row = (...cells) => h("tr", {}, cells.map((cell) =>
    cell instanceof HTMLTableCellElement ? cell : h("td", {}, cell)));

export const button = (text, onclick, properties = {}) =>
    h("button", {type: "button", textContent: text, onclick, ...properties});

export const link = (text, href, properties = {}) =>
    h("a", {textContent: text, href, ...properties});

/** The outcome of a call, by word and by colour. */
export const outcome = (text, verdict) => h("span", {className: `outcome ${verdict}`}, text,
    verdict === "ok" || text === verdict ? null : h("span", {className: "hidden"}, ` ${verdict}`));

/** `22.2 ms` */
export function duration(microseconds) {
    if (microseconds < 1000) return `${microseconds} µs`;
    const milliseconds = microseconds / 1000;
    if (milliseconds < 1000) return `${milliseconds.toFixed(milliseconds < 100 ? 1 : 0)} ms`;
    const seconds = milliseconds / 1000;
    return seconds < 120 ? `${seconds.toFixed(1)} s` : span(seconds);
}

/** `2 h 5 min` */
export function span(seconds) {
    const sign = seconds < 0 ? "−" : "";
    let rest = Math.round(Math.abs(seconds));
    const parts = [[86400, "d"], [3600, "h"], [60, "min"], [1, "s"]].flatMap(([size, unit]) => {
        const count = Math.floor(rest / size);
        rest -= count * size;
        return count ? [`${count} ${unit}`] : [];
    });
    return sign + (parts.slice(0, 2).join(" ") || "0 s");
}

export function bytes(count) {
    if (count < 1000) return `${count} B`;
    return count < 1e6 ? `${(count / 1000).toFixed(1)} kB` : `${(count / 1e6).toFixed(1)} MB`;
}

/** The time of day of an ISO 8601 text, in this browser's zone. The tooltip has the date, too. */
export function time(iso, isWhole = false) {
    const date = new Date(iso);
    const two = (number) => String(number).padStart(2, "0");
    const day = `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())} `;
    const text = `${two(date.getHours())}:${two(date.getMinutes())}:${two(date.getSeconds())}`;
    const fraction = isWhole ? "" : `.${String(date.getMilliseconds()).padStart(3, "0")}`;
    return h("time", {dateTime: iso, title: iso}, (isWhole ? day : "") + text + fraction);
}

/** Text in a box that can be scrolled by keyboard. */
export const pre = (content, label) =>
    h("pre", {tabIndex: 0, role: "region", "aria-label": label}, content);

/** Shows an error in the part of the page where it happened. */
export const problem = (error) => h("p", {className: "problem", role: "alert"}, error.message);

export const heading = (title, ...more) =>
    h("header", {className: "title"}, h("h2", {tabIndex: -1}, title), more);

/** The text, indented if it is JSON. */
export function pretty(text) {
    try {
        return JSON.stringify(JSON.parse(text), null, 2);
    } catch {
        return text;
    }
}

/** A field of a form with its label. */
export const field = (label, input) => h("label", {}, h("span", {}, label), input);

export const select = (options, {value, ...properties} = {}) => h("select", properties,
    options.map((option) => h("option", {value: option, textContent: option || "as it is",
        selected: option === value})));

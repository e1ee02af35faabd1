// Elements without a framework. Text is never parsed as HTML.

export function element(name, properties, ...children) {
    const made = Object.assign(document.createElement(name), properties);
    made.append(...children);
    return made;
}

/** Copies a template. The devices' markup is in index.html. */
export const cloned = (id) => document.getElementById(id).content.firstElementChild.cloneNode(true);

export const time = (text) => element("time", {
    dateTime: text, textContent: new Date(text).toLocaleTimeString([], {timeStyle: "short"}),
});

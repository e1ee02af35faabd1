// What happens without anybody asking: schedules, preflights of browsers, fetched secrets. It is
// shown on request; a browser remembers that.

import {h} from "./dom.js";
import {get} from "./api.js";

const kept = "background";
const titles = /^(?:OPTIONS \/|secrets |ssm )/;

/** The switch, and what it hides. `changed` is called after each change of them. */
export class Background {
    #functions = new Set();
    #input = h("input", {type: "checkbox", checked: localStorage.getItem(kept) === "shown"});
    view = h("label", {className: "check",
        title: "Scheduled functions, preflights and fetched secrets"}, this.#input, "Background");

    constructor(changed) {
        this.#input.onchange = () => {
            if (this.#input.checked) localStorage.setItem(kept, "shown");
            else localStorage.removeItem(kept);
            changed();
        };
        get("schedules").then(({schedules}) => {
            this.#functions = new Set(schedules.map((one) => one.function));
            changed();
        }, () => {});
    }

    /** Whether a request is hidden. Whatever went wrong is shown. */
    hides(title, verdict) {
        return !this.#input.checked && verdict === "ok"
            && (titles.test(title) || this.#functions.has(title));
    }
}

// Paged lists: each page is read with the cursor of the previous one.

import {button, h, problem, put} from "./dom.js";
import {get} from "./api.js";

/**
 * Fills `body`, a table's, with the rows of a list.
 * @param path of the control API, with a query or without
 * @param rows makes the rows of an answer
 */
export async function fill(place, body, path, rows) {
    const more = h("div", {className: "row"});
    place.append(more);
    let isFirst = true;
    const load = async (cursor) => {
        more.replaceChildren();
        const query = cursor
            ? `${path.includes("?") ? "&" : "?"}cursor=${encodeURIComponent(cursor)}` : "";
        try {
            const answer = await get(path + query);
            const made = rows(answer);
            if (made.length && isFirst) body.replaceChildren();
            body.append(...made);
            isFirst = isFirst && !made.length;
            if (answer.next) put(more, button("More", () => load(answer.next)));
        } catch (error) {
            put(more, problem(error));
        }
    };
    await load();
}

// The buckets of S3, their objects, and a preview without active content: text, or an image of a
// known type.

import {button, bytes, h, heading, link, pre, problem, row, table, time} from "./dom.js";
import {content, part} from "./api.js";
import {emulator, shown} from "./command.js";
import {fill} from "./paging.js";

const textMax = 20_000;

export function open(view, [bucket, key]) {
    let url;
    const keep = (made) => { url = made; };
    if (bucket) objects(view, bucket, key, keep);
    else buckets(view);
    return {
        back: () => { location.hash = bucket && key ? `#/objects/${part(bucket)}` : "#/objects"; },
        close: () => url && URL.revokeObjectURL(url),
    };
}

function buckets(view) {
    const list = table("Buckets",
        ["Bucket", "Since", ["Objects", "number"], ["Size", "number"]], []);
    view.append(heading("Objects"), list);
    fill(view, list.querySelector("tbody"), "buckets", (answer) => answer.buckets.map((one) => row(
        h("th", {scope: "row"}, link(one.name, `#/objects/${part(one.name)}`)),
        time(one.createdAt, true), h("td", {className: "number"}, String(one.objectCount)),
        h("td", {className: "number"}, bytes(one.bytes)))));
    view.append(shown(emulator("objects")));
}

function objects(view, bucket, key, keep) {
    view.append(heading(bucket, link("All buckets", "#/objects")));
    if (key) {
        const place = h("section", {className: "message", ariaLabel: "Object"});
        view.append(place);
        preview(place, bucket, key, keep);
    }
    const list = table(`Objects of ${bucket}`,
        ["Key", "Type", ["Size", "number"], "Changed"], [], "This bucket has no objects.");
    view.append(list);
    fill(view, list.querySelector("tbody"), `buckets/${part(bucket)}/objects`, (answer) =>
        answer.objects.map((one) => row(
            h("th", {scope: "row"}, link(one.key, `#/objects/${part(bucket)}/${part(one.key)}`)),
            one.contentType ?? "", h("td", {className: "number"}, bytes(one.size)),
            time(one.lastModified, true))));
    view.append(shown(emulator("objects", bucket)));
}

async function preview(place, bucket, key, keep) {
    place.append(h("h3", {}, key));
    try {
        const blob = await content(`buckets/${part(bucket)}/preview?key=${part(key)}`);
        if (blob.type.startsWith("image/")) {
            const url = URL.createObjectURL(blob);
            keep(url);
            place.append(h("img", {src: url, alt: `The image ${key}`}));
            return;
        }
        const text = await blob.text();
        place.append(pre(text.slice(0, textMax), "Content"));
        if (text.length > textMax) {
            place.append(h("p", {className: "soft"}, `The first ${textMax} characters.`),
                button("Show all", ({currentTarget}) => {
                    place.querySelector("pre").textContent = text;
                    currentTarget.remove();
                }));
        }
    } catch (error) {
        place.append(problem(error));
    }
}

// The user's photos, uploaded to S3 with credentials for their own folder.

import {element} from "./dom.js";
import {Storage} from "./storage.js";

export class Photos {
    #list;
    #auth;
    #fetch;
    #endpoint;
    #opened;

    constructor(list, auth, fetch, endpoint) {
        this.#list = list;
        this.#auth = auth;
        this.#fetch = fetch;
        this.#endpoint = endpoint;
    }

    // The credentials are valid for an hour. An app requests new ones before `expiration`.
    async #storage() {
        const ends = Date.parse(this.#opened?.expiration ?? 0);
        if (!(ends - Date.now() > 60_000)) {
            const grant = await this.#auth.call("POST", "/auth/credentials", {});
            this.#opened = new Storage(this.#fetch, grant, this.#endpoint);
        }
        return this.#opened;
    }

    async add(photo, name) {
        const storage = await this.#storage();
        const key = storage.prefix + name;
        const put = await storage.put(key, photo);
        if (!put.ok) throw new Error(`S3 answered ${put.status}.`);
        const stored = await (await storage.get(key)).blob();
        const src = URL.createObjectURL(stored);
        this.#list.prepend(element("li", {},
            element("img", {src, alt: "", onload: () => URL.revokeObjectURL(src)}),
            element("span", {textContent: name})));
        return `${key}, as S3 gives it back.`;
    }

    async addToForeign() {
        const storage = await this.#storage();
        const answer = await storage.put("users/someone-else/photo.jpg", await samplePhoto());
        return answer.status === 403
            ? "Refused by S3: the credentials are good for your own folder only."
            : `S3 answered ${answer.status}.`;
    }

    clear() {
        this.#opened = undefined;
        this.#list.replaceChildren();
    }
}

/** A small picture, drawn here, for the upload button. */
export async function samplePhoto() {
    const canvas = new OffscreenCanvas(320, 200);
    const context = canvas.getContext("2d");
    const sky = context.createLinearGradient(0, 0, 0, 200);
    const hue = Math.random() * 360;
    sky.addColorStop(0, `hsl(${hue} 70% 45%)`);
    sky.addColorStop(1, `hsl(${hue + 60} 80% 75%)`);
    context.fillStyle = sky;
    context.fillRect(0, 0, 320, 200);
    context.fillStyle = "#fff9";
    context.arc(240, 60, 26, 0, 7);
    context.fill();
    return canvas.convertToBlob({type: "image/jpeg", quality: 0.8});
}

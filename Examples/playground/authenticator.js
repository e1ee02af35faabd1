// An authenticator app (RFC 6238) in the page, so that nobody needs a phone to try a second factor.
// Both devices share it, and it keeps the secret that was set up last.

const stepSeconds = 30;
const place = "authenticator";
const wait = (seconds) => new Promise((done) => { setTimeout(done, seconds * 1000); });

export class Authenticator {
    #store;

    constructor(store) { this.#store = store; }

    get isSetUp() { return this.#store.getItem(place) !== null; }

    setUp(secret) { this.#store.setItem(place, JSON.stringify({secret, last: 0})); }
    forget() { this.#store.removeItem(place); }

    /**
     * A code is accepted only once, and may be one time step early. A caller who needs a later one
     * waits.
     */
    async code(waiting) {
        const {secret, last} = JSON.parse(this.#store.getItem(place));
        const now = () => Math.floor(Date.now() / 1000 / stepSeconds);
        const step = Math.max(now(), last + 1);
        while (step > now() + 1) {
            const seconds = Math.ceil((step - 1) * stepSeconds - Date.now() / 1000);
            waiting(seconds);
            await wait(1);
        }
        this.#store.setItem(place, JSON.stringify({secret, last: step}));
        return oneTimeCode(secret, step);
    }
}

/** RFC 4226 section 5.3. */
async function oneTimeCode(secret, step) {
    const key = await crypto.subtle.importKey(
        "raw", bytes(secret), {name: "HMAC", hash: "SHA-1"}, false, ["sign"]);
    const counter = new DataView(new ArrayBuffer(8));
    counter.setUint32(4, step);
    const mac = new DataView(await crypto.subtle.sign("HMAC", key, counter));
    const start = mac.getUint8(19) & 15;
    return String((mac.getUint32(start) & 0x7fffffff) % 1_000_000).padStart(6, "0");
}

/** Decodes Base32 (RFC 4648 section 6). */
function bytes(text) {
    const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";
    const bits = [...text.replace(/[^A-Z2-7]/g, "")].map((character) =>
        alphabet.indexOf(character).toString(2).padStart(5, "0")).join("");
    return Uint8Array.from(bits.match(/\d{8}/g), (byte) => parseInt(byte, 2));
}

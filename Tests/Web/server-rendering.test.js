// A server that renders pages imports the module and makes a client, which touches no browser.

import assert from "node:assert/strict";
import {test} from "node:test";
import {settled} from "./server.js";

const ofBrowsers = [
    "localStorage", "sessionStorage", "window", "document", "location", "history", "navigator",
    "BroadcastChannel", "indexedDB", "addEventListener", "PublicKeyCredential", "fetch",
];

test("import, construction and rendering", async (t) => {
    const kept = ofBrowsers.map((name) =>
        [name, Object.getOwnPropertyDescriptor(globalThis, name)]);
    const touched = [];
    for (const name of ofBrowsers.filter((name) => name !== "location")) {
        Object.defineProperty(globalThis, name, {
            configurable: true, get() { touched.push(name); return undefined; }});
    }
    t.after(() => {
        for (const [name, descriptor] of kept) {
            delete globalThis[name];
            if (descriptor) Object.defineProperty(globalThis, name, descriptor);
        }
    });
    const {Latchkey} = await import("../../Web/latchkey.js?rendering");
    const auth = new Latchkey("https://auth.example.com", {store: "localStorage", dpop: true});
    // What React's `useState` and Svelte's `$auth` do.
    let seen = "nothing";
    auth.subscribe((user) => { seen = user; })();
    assert.equal(`<p>${auth.user === undefined ? "…" : "?"}${seen ?? ""}</p>`, "<p>…</p>");
    await settled();
    assert.deepEqual(touched, []);
});

test("without a browser's store, the session is in memory", async () => {
    const {Latchkey} = await import("../../Web/latchkey.js");
    const auth = new Latchkey("https://auth.example.com", {store: "sessionStorage"});
    assert.equal(await auth.restore(), null);
    auth.close();
});

// An app with two devices side by side. Copy what you need: device.js is the app, steps.js shows
// it.

import {Device} from "./device.js";

const answer = new URL(location.href);
// Codes and tokens leave the address bar before anything is loaded.
if (answer.pathname !== "/" || answer.search || answer.hash) history.replaceState(null, "", "/");

const emulator = await (await fetch("/emulator.json")).json();
for (const link of document.querySelectorAll("[data-control]")) point(link);

const devices = {
    phone: new Device("phone", "Phone", emulator),
    laptop: new Device("laptop", "Laptop", emulator),
};
for (const {view} of Object.values(devices)) {
    for (const link of view.querySelectorAll("[data-control]")) point(link);
    document.querySelector("main").append(view);
}
await Promise.all(Object.values(devices).map((device) => device.restore()));

const place = answer.pathname.slice(1);
if (Object.hasOwn(devices, place)) {
    devices[place].returned(answer);
} else if (answer.searchParams.has("token")) {
    const token = answer.searchParams.get("token");
    Object.values(devices).find((device) => device.opened(place, token));
}

function point(link) {
    link.href = `${emulator.controlUrl}/#/${link.dataset.control}`;
}

// The script of the pages for sign-in and administration. The pages also work without it.

import {parsed, written} from "./passkeys.js";

// Buttons that show a typed password.
for (const button of document.querySelectorAll("[data-reveal]")) {
    const input = button.previousElementSibling;
    const show = (isShown) => {
        input.type = isShown ? "text" : "password";
        button.setAttribute("aria-pressed", isShown);
    };
    button.hidden = false;
    button.addEventListener("click", () => {
        show(input.type === "password");
        input.focus();
    });
    // The text is hidden again before it is sent: browsers offer to save passwords, but keep other
    // texts as suggestions.
    button.form.addEventListener("submit", () => show(false));
}

// Times. The server does not know the browser's time zone, and sends UTC.
const {lang} = document.documentElement;
for (const time of document.querySelectorAll("time")) {
    time.title = time.textContent;
    time.textContent = new Date(time.dateTime).toLocaleString(
        lang === "en" ? "en-GB" : lang, {dateStyle: "medium", timeStyle: "short"});
}

// Buttons that copy the lines of a list.
for (const button of navigator.clipboard ? document.querySelectorAll("[data-copy]") : []) {
    button.hidden = false;
    button.addEventListener("click", async () => {
        const lines = [...document.querySelectorAll(`${button.dataset.copy} li`)];
        await navigator.clipboard.writeText(lines.map((line) => line.textContent).join("\n"));
        button.textContent = button.dataset.copied;
    });
}

// Passkeys on the pages. The script shows forms with `data-passkey`, asks an authenticator with the
// options from the server, and submits the form with the authenticator's response.
const {credentials} = navigator;

// A browser handles only one passkey request at a time.
let running;

async function run(form, mediation) {
    running?.abort();
    const {signal} = running = new AbortController();
    const {passkey: purpose, options: address} = form.dataset;
    const response = await fetch(address, {
        method: "POST", signal,
        body: new URLSearchParams({form: form.elements.form.value, purpose}),
    });
    // Redirect to a page that asks for a sign-in first.
    if (response.redirected) return location.assign(response.url);
    if (!response.ok) throw new Error(response.status);
    const {ceremony, options} = await response.json();
    signal.throwIfAborted();
    if (mediation) {
        // Ends a ceremony that is not used. Using the form again begins another one.
        const end = setTimeout(() => {
            running.abort();
            document.addEventListener("focusin", () => offer(form), {once: true});
        }, options.timeout * 0.8);
        signal.addEventListener("abort", () => clearTimeout(end));
    }
    const isCreation = purpose === "add";
    const publicKey = parsed(options, isCreation ? "Creation" : "Request");
    const credential = isCreation
        ? await credentials.create({publicKey, signal})
        : await credentials.get({publicKey, signal, ...(mediation && {mediation})});
    form.elements.ceremony.value = ceremony;
    form.elements.credential.value = JSON.stringify(written(credential));
    form.submit();
}

// Offers passkeys as suggestions in the field for the address.
async function offer(form) {
    const isKnown = await PublicKeyCredential.isConditionalMediationAvailable?.();
    if (isKnown) await run(form, "conditional").catch(() => {});
}

function say(form, problem) {
    const place = form.querySelector("[role=alert]");
    place.hidden = !problem;
    place.textContent = problem;
}

const hasPasskeys = credentials && globalThis.PublicKeyCredential;
for (const form of hasPasskeys ? document.querySelectorAll("form[data-passkey]") : []) {
    form.hidden = false;
    // Tells the password manager which passkeys the server knows (WebAuthn section 5.1.10).
    for (const [name, known] of Object.entries(JSON.parse(form.dataset.signals ?? "{}"))) {
        PublicKeyCredential[name]?.(known).catch(() => {});
    }
    form.addEventListener("submit", async (event) => {
        event.preventDefault();
        say(form, "");
        try {
            await run(form);
        } catch (error) {
            if (error.name === "AbortError") return;
            const {known, failed, passkey} = form.dataset;
            say(form, error.name === "InvalidStateError" ? known : failed);
            if (passkey === "signIn") offer(form);
        }
    });
    if (form.dataset.passkey === "signIn") offer(form);
}

// The second factor of an account: an authenticator app, recovery codes, trusted devices.

import {element} from "./dom.js";

export class Factors {
    #auth;
    #authenticator;
    #place;         // shows what cannot be shown again
    #proof;
    #memory;

    constructor(place, auth, authenticator, proof, memory) {
        this.#place = place;
        this.#auth = auth;
        this.#authenticator = authenticator;
        this.#proof = proof;
        this.#memory = memory;
    }

    /** The token of a trusted device, on which the first factor is enough. */
    get deviceToken() { return this.#memory.getItem("device token") ?? undefined; }

    clear() { this.#place.replaceChildren(); }

    /** Asks for the second factor, after the first one was right. */
    answer({ticket, methods}, entered) {
        const ways = methods.map((method) => method === "totp" ? "code" : method);
        this.#proof.ask({
            why: "The first factor was right. Now the second one.", ways, title: "Second factor",
            use: async ({passkey, ...answer}) => entered(passkey
                ? await this.#auth.passkeys.secondFactor(ticket)
                : await this.#auth.secondFactor({ticket, ...answer})),
        });
        return "A second factor is asked for.";
    }

    async enrol() {
        const {secret, qrCode} = await this.#auth.call("POST", "/auth/totp");
        this.#authenticator.setUp(secret);
        const url = URL.createObjectURL(new Blob([qrCode], {type: "image/svg+xml"}));
        const image = element("img", {
            src: url, alt: "QR code for an authenticator app",
            onload: () => URL.revokeObjectURL(url)});
        this.#place.replaceChildren(image, element("p", {},
            "Scan it with an app on your phone, type ", element("code", {textContent: secret}),
            ", or let this page compute the codes."));
        this.#proof.ask({
            why: "Show that the app works.", ways: ["code"], title: "Turn the second factor on",
            use: async (body) => {
                const {recoveryCodes} = await this.#auth.call("POST", "/auth/totp/confirm", body);
                this.#place.replaceChildren(
                    element("p", {},
                        "Recovery codes, each for one sign-in. They are shown only now:"),
                    element("ul", {className: "codes"}, ...recoveryCodes.map((code) =>
                        element("li", {textContent: code}))));
                return "On. The next sign-in asks for a code.";
            },
        });
        return "The app waits for its first code.";
    }

    trust() {
        this.#proof.ask({
            why: "For thirty days, this device signs in without the second factor.", ways: ["code"],
            title: "Trust this device", use: async (body) => {
                const {devices} = await this.#auth.call("GET", "/auth/devices");
                const {id, name} = devices.find(({current}) => current);
                // A device is identified by its name and browser, but registering does not send a
                // name.
                if (!name) return "This session does not name its device. Sign out and in first.";
                const {deviceToken} = await this.#auth.call(
                    "POST", `/auth/devices/${id}/trust`, body);
                this.keep({deviceToken});
                return "Trusted. Sensitive changes ask for the second factor all the same.";
            },
        });
        return "Confirm it with a code.";
    }

    unenrol() {
        this.#proof.ask({
            why: "To turn the second factor off, use it once more.", ways: ["code", "recoveryCode"],
            title: "Turn the second factor off", use: async (body) => {
                await this.#auth.call("POST", "/auth/totp/remove", body);
                this.#authenticator.forget();
                this.clear();
                return "Off.";
            },
        });
        return "Confirm it with a code.";
    }

    /** A device token can be used once: each sign-in with it returns the next. */
    keep({deviceToken}) {
        if (deviceToken) this.#memory.setItem("device token", deviceToken);
    }

    /**
     * A sensitive change. If the sign-in is too old or too weak for the change, the user proves who
     * they are again, and the change is repeated.
     */
    async proven(change, again) {
        try {
            return await change();
        } catch (error) {
            if (error.code !== "RECENT_SIGN_IN_REQUIRED") throw error;
        }
        this.#proof.ask({
            why: "This change needs a recent proof of who you are, by the second factor if there "
                + "is one.",
            ways: ["code", "recoveryCode", "password", "passkey"], title: "Prove who you are",
            use: async ({passkey, ...body}) => {
                const {amr} = passkey ? await this.#auth.passkeys.stepUp()
                    : await this.#auth.call("POST", "/auth/step-up", body);
                return `Proven by ${amr.join(", ")}.`;
            }, then: again,
        });
        return "Refused for now: prove who you are.";
    }
}

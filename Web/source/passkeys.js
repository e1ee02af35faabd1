// Passkeys, in the JSON forms of WebAuthn Level 3.

import {base64url, fromBase64url} from "./encoding.js";
import {AuthError} from "./errors.js";

const codes = {
    AbortError: "CANCELLED", NotAllowedError: "CANCELLED",
    InvalidStateError: "PASSKEY_ALREADY_ADDED", NotSupportedError: "UNSUPPORTED",
};

const identified = (item) => item && {...item, id: fromBase64url(item.id)};

// `parsed` and `written` replace the functions of Level 3 in browsers that lack them.
export const parsed = (options, kind) => {
    const parse = `parse${kind}OptionsFromJSON`;
    if (PublicKeyCredential[parse]) return PublicKeyCredential[parse](options);
    const {challenge, user, excludeCredentials, allowCredentials} = options;
    return {
        ...options, challenge: fromBase64url(challenge),
        user: identified(user),
        excludeCredentials: excludeCredentials?.map(identified),
        allowCredentials: allowCredentials?.map(identified),
    };
};

export const written = (credential) => {
    if (credential.toJSON) return credential.toJSON();
    const {id, type, response} = credential;
    const answer = {transports: response.getTransports?.()};
    for (const name of [
        "clientDataJSON", "attestationObject", "authenticatorData", "signature", "userHandle",
    ]) if (response[name]) answer[name] = base64url(response[name]);
    return {id, rawId: id, type, response: answer};
};

export class Passkeys {
    #open;
    #call;
    #stop;

    constructor(open, call) {
        this.#open = open;
        this.#call = call;
    }

    async signUp({email, name, passkeyName, device, deviceFingerprint, ...how} = {}) {
        const answer = await this.#ask("signUp", this.#open, {email, name}, how);
        return this.#open(
            "/auth/passkeys/signup", {...answer, name: passkeyName, device, deviceFingerprint});
    }

    async signIn({device, deviceFingerprint, deviceToken, ...how} = {}) {
        const answer = await this.#ask("signIn", this.#open, {}, how);
        return this.#open(
            "/auth/passkeys/signin", {...answer, device, deviceFingerprint, deviceToken});
    }

    async secondFactor(ticket, how) {
        const answer = await this.#ask("secondFactor", this.#open, {ticket}, how);
        return this.#open("/auth/second-factor", {ticket, ...answer});
    }

    async stepUp(how) {
        return this.#call("POST", "/auth/step-up", await this.#ask("stepUp", this.#post, {}, how));
    }

    async add({name, ...how} = {}) {
        const answer = await this.#ask("add", this.#post, {}, how);
        return this.#change("POST", "", {...answer, name});
    }

    list() { return this.#change("GET", ""); }
    rename(id, name) { return this.#change("PATCH", `/${id}`, {name}); }
    async remove(id) {
        await this.#call("DELETE", `/auth/passkeys/${id}`);
        return this.list();
    }

    cancel() { this.#stop?.(); }

    #post = (path, body) => this.#call("POST", path, body);

    // Tells the password manager which passkeys are left, and the user's current name.
    async #change(method, path, body) {
        const answer = await this.#call(method, `/auth/passkeys${path}`, body);
        for (const signal of ["AllAcceptedCredentials", "CurrentUserDetails"]) {
            globalThis.PublicKeyCredential?.[`signal${signal}`]?.(answer.signals).catch(() => {});
        }
        return answer;
    }

    async #ask(purpose, send, body, {mediation, signal} = {}) {
        const isCreation = purpose === "signUp" || purpose === "add";
        const conditional = mediation === "conditional" || undefined;
        const isAutofill = conditional && !isCreation;
        let controller;
        let isStopped = signal?.aborted;
        const stop = () => {
            isStopped = true;
            controller?.abort();
        };
        // A page can have only one ceremony at a time, so a button replaces autofill.
        this.cancel();
        this.#stop = stop;
        signal?.addEventListener("abort", stop);
        const api = globalThis.PublicKeyCredential;
        if (!api || isAutofill && !await api.isConditionalMediationAvailable?.()) {
            throw new AuthError("UNSUPPORTED");
        }
        for (;;) {
            const {ceremony, options} = await send(
                "/auth/passkeys/options", {purpose, conditional, ...body});
            if (isStopped) throw new AuthError("CANCELLED");
            controller = new AbortController();
            // Autofill may wait longer than a ceremony is valid, so a new ceremony begins before
            // that.
            const renewal = isAutofill && setTimeout(
                () => controller.abort(), options.timeout * 0.8);
            try {
                const credential = await navigator.credentials[isCreation ? "create" : "get"]({
                    publicKey: parsed(options, isCreation ? "Creation" : "Request"), mediation,
                    signal: controller.signal,
                });
                return {ceremony, credential: written(credential)};
            } catch (cause) {
                if (isStopped || cause.name !== "AbortError") {
                    throw new AuthError(codes[cause.name] ?? "PASSKEY_FAILED", {cause});
                }
            } finally {
                clearTimeout(renewal);
            }
        }
    }
}

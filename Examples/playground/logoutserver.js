// The server of a web app, which is notified when its users sign out elsewhere (OpenID Connect
// Back-Channel Logout 1.0). A page cannot receive requests, so the emulator receives the notices,
// and this class reads and verifies them as your own server would.

import {claimsOf, verified} from "./jwt.js";
import {answered, Refusal} from "./oauth.js";

const event = "http://schemas.openid.net/event/backchannel-logout";

export class LogoutServer {
    #client;
    #name;
    #issuer;

    /** - name: the name in the address `/_received/<name>`, to which notices are sent. */
    constructor(client, name, issuer) {
        this.#client = client;
        this.#name = name;
        this.#issuer = issuer;
    }

    /** The data that an app stores before a sign-out, to recognise the notice about it. */
    async expected(idToken, fetch) {
        const {received} = await answered(await fetch(`/_emulator/received?name=${this.#name}`));
        return {session: claimsOf(idToken).sid, after: received[0]?.id ?? "0", at: Date.now()};
    }

    /** The time at which the notice about the session arrived; undefined if none did. */
    async told({session, after}, seconds, fetch) {
        for (;;) {
            const response = await fetch(`/_emulator/received/wait?name=${this.#name}`
                + `&after=${after}&timeoutSeconds=${seconds}`);
            if (response.status === 204) return undefined;
            const {id, body, receivedAt} = await answered(response);
            const token = new URLSearchParams(body).get("logout_token");
            const at = Date.parse(receivedAt);
            if (await this.session(token, at) === session) return at;
            after = id;
        }
    }

    /** Makes the emulator answer the next notice with 503. */
    async fail(fetch) {
        await answered(await fetch("/_emulator/faults", {
            method: "POST", headers: {"Content-Type": "application/json"},
            body: JSON.stringify({
                match: {service: "receiver", path: `/_received/${this.#name}`},
                effect: "error", error: "ServiceUnavailable", count: 1,
            }),
        }));
    }

    /** The session whose end a logout token reports (section 2.6). */
    async session(token, now) {
        const claims = await verified(token, "logout+jwt", this.#issuer, now);
        if (claims.aud !== this.#client) throw new Refusal("aud", "It is for another app.");
        if (!claims.events?.[event] || "nonce" in claims) {
            throw new Refusal("events", "It does not say that somebody has signed out.");
        }
        return claims.sid;
    }
}

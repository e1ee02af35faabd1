// An app without a page, against the emulator at APP_URL: mailed links, factors, PKCE. Run by the
// test target ClientTests, in Node and Deno.

import assert from "node:assert/strict";
import {createHmac, randomUUID} from "node:crypto";
import process from "node:process";
import {test} from "node:test";
import {AuthError, Latchkey} from "../../Web/latchkey.js";
import {Store} from "./server.js";

const base = process.env.APP_URL;
const password = "correct horse battery";
const client = () => new Latchkey(base, {store: new Store(), storage: new Store()});
const code = (wanted) => (error) => error instanceof AuthError && error.code === wanted;

/** The token of the next sign-in link after the message with the id, and the id of its message. */
async function mailed(address, after = 0) {
    const query = `to=${address}&after=${after}&timeoutSeconds=120`;
    const response = await fetch(`${base}/_emulator/mail/wait?${query}`);
    assert.equal(response.status, 200);
    const text = await response.text();
    const {id} = JSON.parse(text);
    // Mails about a change of the account have a link that undoes it.
    const token = text.match(/magic-link\?token=([\w-]{40,})/)?.[1];
    return token ? {token, id} : mailed(address, id);
}

/** RFC 6238; the secret is in base32. */
function oneTimeCode(secret) {
    const bits = [...secret].map((sign) =>
        "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567".indexOf(sign).toString(2).padStart(5, "0")).join("");
    const key = Buffer.from(bits.match(/.{8}/g).map((byte) => parseInt(byte, 2)));
    const counter = Buffer.alloc(8);
    counter.writeUInt32BE(Math.floor(Date.now() / 30_000), 4);
    const mac = createHmac("sha1", key).update(counter).digest();
    const number = mac.readUInt32BE(mac[19] & 15) & 0x7fffffff;
    return String(number % 1_000_000).padStart(6, "0");
}

test("a link signs in, a second factor is asked for, and the account is deleted", async () => {
    const auth = client();
    const email = `${randomUUID()}@example.com`;
    let lastMail = 0;
    const link = async () => {
        const {requestSecret} = await auth.requestLink({email});
        const {token, id} = await mailed(email, lastMail);
        lastMail = id;
        return auth.redeemLink({requestSecret, token});
    };
    const {isNewUser, user} = await link();
    assert.equal(isNewUser, true);
    assert.equal(auth.user.id, user.id);
    const {secret} = await auth.call("POST", "/auth/totp");
    const {recoveryCodes} = await auth.call(
        "POST", "/auth/totp/confirm", {code: oneTimeCode(secret)});
    // The session was replaced: the client has the new one.
    assert.equal((await auth.call("GET", "/auth/me")).id, user.id);
    await auth.call("PATCH", "/auth/me", {displayName: "Ada L."});
    assert.deepEqual([auth.user.id, auth.user.displayName], [user.id, "Ada L."]);
    assert.equal(await auth.signOut(), true);

    const answer = await link();
    assert.deepEqual(answer.methods, ["totp", "recoveryCode"]);
    assert.equal(auth.user, null);
    await auth.secondFactor({ticket: answer.ticket, recoveryCode: recoveryCodes[0]});
    assert.equal(auth.user.id, user.id);
    await auth.deleteAccount();
    assert.equal(auth.user, null);
    await assert.rejects(auth.call("GET", "/auth/me"), code("SIGNED_OUT"));
    auth.close();
});

test("an authorization code with PKCE signs in", async () => {
    const auth = client();
    const issuer = `${base}/_idp/google`;
    const redirectUri = "http://localhost:3000/callback";
    const url = await auth.authorize({
        provider: "google", issuer, clientId: "client.apps.googleusercontent.com", redirectUri});
    const response = await fetch(
        `${url}&latchkey_account=${randomUUID()}@example.com`, {redirect: "manual"});
    const back = response.headers.get("Location");
    assert.ok(back?.startsWith(redirectUri), `${response.status} ${back}`);
    const session = await auth.authorized(back);
    assert.equal(auth.user.id, session.user.id);
    await assert.rejects(auth.authorized(back), code("WRONG_STATE"));
    auth.close();
});

test("a refresh, and the end of a session that another client ended", async () => {
    const auth = client();
    const store = new Store();
    const other = new Latchkey(base, {store});
    await other.guest();
    const {refreshToken} = store.record.session;
    const soon = store.record;
    soon.session.expiresAt = 0;
    store.setItem([...store.items.keys()][0], JSON.stringify(soon));
    const next = new Latchkey(base, {store});
    assert.equal((await next.fetch(`${base}/auth/me`)).status, 200);
    assert.notEqual(store.record.session.refreshToken, refreshToken);
    const {sessions} = await next.call("GET", "/auth/sessions");
    await next.call("DELETE", `/auth/sessions/${sessions[0].id}`);
    await assert.rejects(next.call("GET", "/auth/me"), code("INVALID_REFRESH_TOKEN"));
    assert.equal(next.user, null);
    assert.equal(store.record, null);
    for (const one of [auth, other, next]) one.close();
});

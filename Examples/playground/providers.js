// Apple and Google, by their own sign-in pages.

import {AuthError} from "./latchkey.js";

/**
 * Google: an authorization code with PKCE, which the client exchanges for the ID token. Google
 * itself also requires a client secret of web apps. With the real Google, use its button, which
 * gives the page an ID token, and pass that to `auth.signIn`.
 */
export const google = ({issuerUrl}) => ({
    provider: "google", issuer: `${issuerUrl}/_idp/google`, scope: "openid email profile",
    clientId: "client.apps.googleusercontent.com",
});

// Apple exchanges codes only with servers, which have a key. A page gets its ID token in a form
// that Apple posts to the redirect address; a server passes the form to the page in the fragment.
const apple = ({issuerUrl}) => ({
    authorize: `${issuerUrl}/_idp/apple/auth/authorize`, clientId: "com.example.app",
});

export async function toApple(auth, emulator, redirectUri) {
    const {nonce} = await auth.challenge();
    const state = crypto.randomUUID();
    sessionStorage.setItem(`apple ${state}`, nonce);
    const {authorize, clientId} = apple(emulator);
    return `${authorize}?${new URLSearchParams({
        response_type: "code id_token", response_mode: "form_post", scope: "name email",
        client_id: clientId, redirect_uri: redirectUri, state, nonce,
    })}`;
}

/** Signs in with the form that Apple posted. */
export async function fromApple(auth, form, more) {
    const key = `apple ${form.get("state")}`;
    const nonce = sessionStorage.getItem(key);
    sessionStorage.removeItem(key);     // used once
    if (!nonce) throw new AuthError("WRONG_STATE", {message: "This tab has not asked."});
    if (form.has("error")) throw new AuthError(
        "AUTHORIZATION_FAILED", {reason: form.get("error")});
    // Apple sends the name only at the first sign-in, and only in this form.
    const {firstName, lastName} = JSON.parse(form.get("user") ?? "{}").name ?? {};
    const fullName = firstName || lastName ? {givenName: firstName, familyName: lastName} : null;
    return auth.signIn({
        provider: "apple", idToken: form.get("id_token"), nonce, fullName, ...more});
}

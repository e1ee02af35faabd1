// Apple and Google, by their own sign-in pages.

import {AuthError} from "./latchkey.js";

/**
 * Google: a code with PKCE, for which the client fetches the ID token. Google itself wants a secret
 * of web apps, too: use its button there, which gives the page an ID token, and `auth.signIn`.
 */
export const google = ({issuerUrl}) => ({
    provider: "google", issuer: `${issuerUrl}/_idp/google`, scope: "openid email profile",
    clientId: "client.apps.googleusercontent.com",
});

// Apple gives tokens for a code to servers only, which have a key. A page gets its ID token at
// once, in a form that Apple posts to its address; a server hands the form over in the fragment.
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
    sessionStorage.removeItem(key);     // one use
    if (!nonce) throw new AuthError("WRONG_STATE", {message: "This tab has not asked."});
    if (form.has("error")) throw new AuthError(
        "AUTHORIZATION_FAILED", {reason: form.get("error")});
    // Apple tells the name only once, and only here.
    const {firstName, lastName} = JSON.parse(form.get("user") ?? "{}").name ?? {};
    const fullName = firstName || lastName ? {givenName: firstName, familyName: lastName} : null;
    return auth.signIn({
        provider: "apple", idToken: form.get("id_token"), nonce, fullName, ...more});
}

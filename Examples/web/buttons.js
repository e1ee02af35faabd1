import {Latchkey} from "./latchkey/latchkey.js";

const auth = new Latchkey("https://auth.example.com", {store: "localStorage"});
const at = (id) => document.getElementById(id);
const say = (text) => { at("status").textContent = text; };
const shown = (error) => say(error.message);
let current, renewal;

// A nonce is good for one sign-in, and for minutes.
async function renew() {
    clearTimeout(renewal);
    const {nonce, expiresIn} = await auth.challenge();
    current = nonce;
    renewal = setTimeout(() => renew().catch(shown), expiresIn * 800);
    if (typeof google === "undefined") {
        // The user may have signed in another way.
        return auth.user || say("Google's button was blocked: use another way.");
    }
    google.accounts.id.initialize({
        client_id: "client.apps.googleusercontent.com", nonce,
        callback: ({credential}) => signIn("google", credential, nonce).catch(shown),
    });
    google.accounts.id.renderButton(at("google-button"), {type: "standard"});
}

async function signIn(provider, idToken, nonce, more) {
    const answer = await auth.signIn({provider, idToken, nonce, ...more}).finally(renew);
    if (!("secondFactorRequired" in answer)) return;
    const code = prompt("The code of your authenticator app");
    if (code) await auth.secondFactor({ticket: answer.ticket, code});
}

at("apple").onclick = async () => {
    if (typeof AppleID === "undefined") return say("Apple's window was blocked: use another way.");
    // Another one may be current when Apple's window closes.
    const nonce = current;
    try {
        AppleID.auth.init({
            clientId: "com.example.web", scope: "name email", nonce, usePopup: true,
            redirectURI: "https://app.example.com/buttons.html",
        });
        const {authorization, user} = await AppleID.auth.signIn();
        // Apple tells the name at the first sign-in only.
        const {firstName: givenName, lastName: familyName} = user?.name ?? {};
        await signIn(
            "apple", authorization.id_token, nonce,
            givenName && {fullName: {givenName, familyName}});
    } catch (error) {
        say(error.message ?? error.error);
    }
};

// The way without their scripts: the server's page has both buttons, and leads back here.
at("page").onclick = () => auth.signInWithPage().catch(shown);

auth.subscribe((user) => { if (user) say(user.email ?? user.id); });
await auth.signedInWithPage().catch((error) => auth.user || shown(error));
await renew().catch(shown);

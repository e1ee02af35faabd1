import {Latchkey} from "./latchkey/latchkey.js";

const auth = new Latchkey("https://auth.example.com", {store: "localStorage"});
const button = document.querySelector("button");
const say = (text) => { document.querySelector("output").textContent = text; };

auth.subscribe((user) => {
    say(user ? user.email ?? user.id : "");
    button.textContent = user ? "Sign out" : "Sign in";
});
const shown = (error) => say(error.message);
async function signOut() {
    if (!await auth.signOut()) say("Signed out on this device only: the server cannot be reached.");
}
button.onclick = () => (auth.user ? signOut() : auth.signInWithPage()).catch(shown);
// After "Back" and another sign-in, the callback is refused, but the user is signed in.
auth.signedInWithPage().catch((error) => auth.user || shown(error));

import {Latchkey} from "./latchkey/latchkey.js";

const auth = new Latchkey("https://auth.example.com", {store: "localStorage"});
const say = (text) => { document.querySelector("output").textContent = text; };

auth.subscribe((user) => say(user ? user.email ?? user.id : ""));
const shown = (error) => say(error.message);
document.querySelector("button").onclick = () => auth.signInWithPage().catch(shown);
auth.signedInWithPage().catch(shown);

import {Latchkey} from "./latchkey/latchkey.js";

const auth = new Latchkey("https://auth.example.com", {store: "localStorage"});
const [entry, proof, account] = document.forms;
const mailed = "If the address can be used, a mail with a code is on its way.";
// What the page asks the user for: the names of fields, and what to do with their values.
let asked;

const say = (text) => { document.querySelector("output").textContent = text; };

function ask(text, fields, finish) {
    asked = {fields, finish};
    say(text);
}

/** Ends a sign-in, unless the account has a second factor. */
function signedIn(answer) {
    if (!("secondFactorRequired" in answer)) return;
    ask("The code of your authenticator app:", ["code"],
        ({code}) => auth.secondFactor({ticket: answer.ticket, code}));
}

const actions = {
    signIn: async ({email, password}) => signedIn(await auth.logIn({email, password})),
    passkey: async () => signedIn(await auth.passkeys.signIn()),
    async mail({email}) {
        const {requestSecret} = await auth.requestLink({email});
        ask(mailed, ["code"],
            async ({code}) => signedIn(await auth.redeemLink({code, requestSecret})));
    },
    async register({email, password}) {
        const {requestSecret} = await auth.register({email, password});
        ask(mailed, ["code"], ({code}) => auth.verifyEmail({code, requestSecret, password}));
    },
    async reset({email}) {
        const {requestSecret} = await auth.forgotPassword({email});
        ask(mailed, ["code", "password"], async ({code, password}) => {
            await auth.resetPassword({code, requestSecret, newPassword: password});
            signedIn(await auth.logIn({email, password}));
        });
    },
    async addPasskey() {
        try {
            await auth.passkeys.add();
            say("The passkey was added.");
        } catch (error) {
            if (error.code !== "RECENT_SIGN_IN_REQUIRED") throw error;
            ask("Confirm that it is you.", ["password"], async ({password}) => {
                await auth.call("POST", "/auth/step-up", {password});
                await actions.addPasskey();
            });
        }
    },
    async finish(typed) {
        const now = asked;
        await now.finish(typed);
        if (asked === now) asked = undefined;
    },
    cancel() { asked = undefined; },
    async signOut() {
        if (await auth.signOut()) return;
        say("Signed out on this device only: the server cannot be reached.");
    },
};

function show() {
    entry.hidden = auth.user !== null || asked;
    account.hidden = !auth.user || asked;
    proof.hidden = !asked;
    for (const field of proof.querySelectorAll("input")) {
        field.hidden = field.disabled = !asked?.fields.includes(field.name);
    }
}

async function act(event) {
    event.preventDefault();
    const typed = Object.fromEntries(new FormData(event.target));
    say("");
    try {
        await actions[event.submitter.value](typed);
        proof.reset();
    } catch (error) {
        if (error.code !== "CANCELLED") say(error.message);
    }
    show();
}

for (const form of document.forms) form.onsubmit = act;
auth.subscribe((user) => {
    if (user) {
        say(user.email ?? user.id);
        // Who signs in next on this device does not find the password.
        entry.reset();
    }
    show();
});
await auth.restore();
// Passkeys in the suggestions for the address, until a button of the page replaces them.
if (!auth.user) auth.passkeys.signIn({mediation: "conditional"}).then(signedIn).then(show)
    .catch((error) => { if (!/CANCELLED|UNSUPPORTED/.test(error.code)) say(error.message); });

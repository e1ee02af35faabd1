// Compiled only: what TypeScript must accept, and what it must refuse.
import {AuthError, Latchkey} from "../../../Web/latchkey.js";
import type {ErrorCode, Session, User} from "../../../Web/latchkey.js";

const auth = new Latchkey("https://auth.example.com", {store: localStorage, dpop: true});

export async function accepted(): Promise<void> {
    const user: User | null = await auth.restore();
    const email: string | undefined = user?.email;
    const answer = await auth.logIn({email: email ?? "", password: "secret"});
    if ("secondFactorRequired" in answer) {
        const session: Session = await auth.secondFactor({ticket: answer.ticket, code: "123456"});
        session.user.emailVerified;
    }
    const profile = await auth.call("GET", "/auth/me");
    profile.authProviders.join();
    await auth.call("DELETE", "/auth/sessions/1234");
    await auth.call("GET", "/auth/audit?limit=5");
    await auth.call("POST", "/auth/step-up", {password: "secret"});
    const {passkeys} = await auth.passkeys.add({name: "Key", mediation: "conditional"});
    passkeys.map((passkey) => passkey.backedUp);
    const stop: () => void = auth.subscribe((now, event) => {
        if (event === "ended") console.log(now?.displayName);
    });
    stop();
    const response: Response = await auth.fetch("/api", {method: "POST", body: "x"});
    response.ok;
    try {
        await auth.passkeys.signIn();
    } catch (error) {
        if (error instanceof AuthError && error.code === "PASSKEY_REFUSED") return;
        throw error;
    }
}

export async function refused(): Promise<void> {
    // @ts-expect-error no password
    await auth.logIn({email: ""});
    // @ts-expect-error no such route
    await auth.call("GET", "/auth/nothing");
    // @ts-expect-error no such method of the route
    await auth.call("PUT", "/auth/me");
    // @ts-expect-error no body
    await auth.call("POST", "/auth/step-up");
    // @ts-expect-error another body
    await auth.call("PATCH", "/auth/passkeys/1", {title: ""});
    // @ts-expect-error a guest's answer has no ticket
    (await auth.guest()).ticket;
    // @ts-expect-error no such code
    const code: ErrorCode = "INVALID_REFRESH";
    // @ts-expect-error undefined before the store was read
    const user: User | null = auth.user;
    // @ts-expect-error the state is read-only
    auth.user = null;
    // @ts-expect-error no such scope
    await auth.signOut(code);
}

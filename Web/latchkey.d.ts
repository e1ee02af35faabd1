import type {
    Address, Challenge, GuestRequest, Login, MagicLinkToken, MailSent, NewSession, Passkeys,
    Registration, Reset, Routes, SecondFactorAnswer, SecondFactorRequired, ServerErrorCode,
    Session, SignInRequest, StepUp, User, Verification,
} from "./latchkey-api.js";

export * from "./latchkey-api.js";

/** The codes of errors that the client itself reports. */
export type ClientErrorCode =
    /** The user dismissed the dialog, or it was cancelled. */
    | "CANCELLED"
    /** No answer: no network, a timeout, or an address that the CSP blocks. The session remains. */
    | "OFFLINE"
    /** The server refuses this page, because the page's origin is not in `ALLOWED_ORIGINS`. */
    | "ORIGIN_REFUSED"
    /** The answer is not Latchkey's but, for example, a proxy's. The session remains. */
    | "GATEWAY"
    /** Nobody is signed in. */
    | "SIGNED_OUT"
    /** Another sign-in or sign-out happened in the meantime. */
    | "SUPERSEDED"
    /** The store could not be read, which does not mean that it is empty. */
    | "STORE_FAILED"
    /**
     * No token is sent to this origin: it is not in `origins`, or Latchkey's own address is neither
     * `https:` nor on this machine.
     */
    | "FOREIGN_ORIGIN"
    /** The browser does not support this, or not on this page. */
    | "UNSUPPORTED"
    /** The browser refused the passkey: `cause` says why. */
    | "PASSKEY_FAILED"
    /** The provider or the page refused; `reason` is its code. */
    | "AUTHORIZATION_FAILED"
    /** The answer belongs to no redirect of this browser, came too late, or was used before. */
    | "WRONG_STATE"
    /** The answer comes from another issuer than the one that was asked. */
    | "WRONG_ISSUER"
    /** The ID token is not for this sign-in. */
    | "NONCE_MISMATCH";

export type ErrorCode = ServerErrorCode | ClientErrorCode;

export declare class AuthError extends Error {
    constructor(code: ErrorCode, more?: { message?: string; reason?: string; cause?: unknown });
    readonly name: "AuthError";
    readonly code: ErrorCode;
    /** The response's status, if there was a response. */
    readonly status?: number;
    /** `retry`: repeating the call may succeed. `reauthenticate`: the session has ended. */
    readonly action?: "retry" | "reauthenticate";
    /** The member of the body that the error is about. */
    readonly field?: string;
    /** The code that the application's hook or the provider returned. */
    readonly reason?: string;
    /** The seconds to wait; 0 if the server did not say. */
    readonly retryAfter?: number;
    /** The whole answer, such as `{merge}` of IDENTITY_IN_USE. */
    readonly answer?: unknown;
    readonly cause?: unknown;
}

/** The interface of `localStorage` and `sessionStorage`. The results may also be promises. */
export interface SessionStore {
    getItem(key: string): string | null | Promise<string | null>;
    setItem(key: string, value: string): void | Promise<void>;
    removeItem(key: string): void | Promise<void>;
}

export interface Options {
    /**
     * Where the session is stored, so that it survives a reload. Default: nowhere. Browser storage
     * is given by name, so that a server that renders the page can create the client, too.
     */
    store?: "localStorage" | "sessionStorage" | SessionStore;
    /** Bind the session to a key of this browser (RFC 9449). The deployment must allow it. */
    dpop?: boolean;
    /** Further origins that `fetch` may give the access token to. */
    origins?: readonly string[];
    /** Refresh this long before the token expires, at most a fifth of its life. Default: 60 */
    marginSeconds?: number;
    /** Time limit of one request to Latchkey. Default: 10 */
    timeoutSeconds?: number;
    /** The number of attempts of a refresh. Default: 5 */
    attempts?: number;
    /** Replaces the global `fetch`. */
    fetch?: typeof globalThis.fetch;
    /** Replaces `navigator.locks`. */
    locks?: { request<T>(name: string, work: () => Promise<T>): Promise<T> };
    /**
     * The storage for data that a redirect needs when the browser returns. Default: `localStorage`
     */
    storage?: Pick<Storage, "getItem" | "setItem" | "removeItem">;
}

/**
 * Why a listener is called. `changed`: another tab changed the session; `ended`: the server refused
 * the refresh token; `storeFailed`: the session is in memory only, and will be stored later.
 */
export type SessionEvent =
    | "subscribed" | "restored" | "signedIn" | "refreshed" | "changed" | "signedOut" | "ended"
    | "storeFailed";

export interface CeremonyOptions {
    /** `conditional`: offer passkeys in the autofill of a field, or create one without asking. */
    mediation?: "conditional" | "optional" | "required" | "silent";
    signal?: AbortSignal;
}

/** Shown in the list of sessions. */
export interface DeviceDescription {
    name?: string;
    os?: string;
}

export interface PasskeyClient {
    /** Creates an account. `name` is the user's name, `passkeyName` the passkey's. */
    signUp(options?: CeremonyOptions & {
        email?: string; name?: string; passkeyName?: string; device?: DeviceDescription;
        deviceFingerprint?: string;
    }): Promise<Session>;
    signIn(options?: CeremonyOptions & {
        device?: DeviceDescription; deviceFingerprint?: string; deviceToken?: string;
    }): Promise<Session | SecondFactorRequired>;
    secondFactor(ticket: string, options?: CeremonyOptions): Promise<Session>;
    stepUp(options?: CeremonyOptions): Promise<StepUp>;
    /** Adds a passkey to the account. The sign-in must be recent. */
    add(options?: CeremonyOptions & { name?: string }): Promise<Passkeys>;
    list(): Promise<Passkeys>;
    rename(id: string, name: string): Promise<Passkeys>;
    remove(id: string): Promise<Passkeys>;
    /** Ends a waiting ceremony, such as autofill. A new ceremony also ends the waiting one. */
    cancel(): void;
}

/** Authorization code with PKCE at an OpenID provider that accepts public clients. */
export interface CodeFlow {
    /** The provider's name in Latchkey. */
    provider: string;
    /** The issuer in its tokens; the discovery document is below it. */
    issuer: string;
    clientId: string;
    redirectUri: string;
    /** The requested scopes. Default: `openid email` */
    scope?: string;
}

/** The pages of the server (docs/pages.md). */
export interface PageFlow {
    /** The page to open. Default: `signin` */
    page?: "signin" | "register";
    /**
     * The address to return to, exactly as in `UI_RETURN`; a path belongs to this origin. Default:
     * this page, without query
     */
    returnTo?: string;
}

type Method = "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
type PathOf<M extends Method> = keyof Routes extends infer K
    ? K extends `${M} ${infer P}` ? P : never : never;
type RouteOf<M extends Method, P extends string> =
    `${M} ${P}` extends keyof Routes ? Routes[`${M} ${P}`] : never;
type BodyOf<M extends Method, P extends string> =
    RouteOf<M, P> extends { body: infer B } ? B : never;
type AnswerOf<M extends Method, P extends string> =
    RouteOf<M, P> extends { answer: infer A } ? A : never;

export declare class Latchkey {
    /** @param base the address of Latchkey: its setting `ISSUER`; slashes at the end are ignored */
    constructor(base: string, options?: Options);

    /** `null` if nobody is signed in, and `undefined` before the store was read. */
    readonly user: User | null | undefined;
    readonly passkeys: PasskeyClient;

    /** Reads the store. Rejects with STORE_FAILED if that is impossible. */
    restore(): Promise<User | null>;
    /** Calls the listener now and with each change, until the returned function is called. */
    subscribe(
        listener: (user: User | null | undefined, event: SessionEvent) => void): () => void;
    close(): void;

    register(body: Registration): Promise<MailSent>;
    verifyEmail(body: Verification): Promise<Session>;
    resendVerification(body: Address): Promise<MailSent>;
    logIn(body: Login): Promise<Session | SecondFactorRequired>;
    forgotPassword(body: Address): Promise<MailSent>;
    resetPassword(body: Reset): Promise<undefined>;
    /** Mails a link and a code. Keep `requestSecret` for `redeemLink`. */
    requestLink(body: Address): Promise<MailSent>;
    redeemLink(body: MagicLinkToken): Promise<NewSession | SecondFactorRequired>;
    secondFactor(body: SecondFactorAnswer): Promise<Session>;
    guest(body?: GuestRequest): Promise<Session>;
    /** Returns a nonce for an ID token. */
    challenge(): Promise<Challenge>;
    signIn(body: SignInRequest): Promise<NewSession | SecondFactorRequired>;
    /** Opens the server's sign-in page. Rejects if that is impossible. */
    signInWithPage(flow?: PageFlow): Promise<void>;
    /**
     * Completes the sign-in if this URL has the page's answer, and removes the answer from the
     * address bar. Otherwise does the same as `restore`. Default: this page's URL
     */
    signedInWithPage(url?: string): Promise<User | null>;
    /** Returns the URL of the provider, to which the page must then redirect the browser. */
    authorize(flow: CodeFlow): Promise<string>;
    /** Signs in when the provider has sent the browser back. Default: this page's URL */
    authorized(url?: string): Promise<NewSession | SecondFactorRequired>;

    /**
     * The access token, refreshed first if it ends soon: for what `fetch` cannot send, such as the
     * first message of a WebSocket. A session with `dpop` needs proofs besides.
     */
    accessToken(): Promise<string>;
    /**
     * Sends a request with the session's token to a route of Latchkey. New tokens in the answer
     * replace the session's tokens, and a changed name the user's.
     */
    call<M extends Method, P extends PathOf<M>>(
        method: M, path: P,
        ...body: [BodyOf<M, P>] extends [undefined] ? [] : [BodyOf<M, P>]
    ): Promise<AnswerOf<M, P>>;
    /**
     * Like the global `fetch`, with the access token. After a 401 it refreshes and tries once more,
     * unless the token was refreshed in the last ten seconds.
     */
    fetch(input: RequestInfo | URL, init?: RequestInit): Promise<Response>;

    deleteAccount(): Promise<void>;
    /** Ends the session here at once. Resolves to whether the server has ended it, too. */
    signOut(scope?: "session" | "all"): Promise<boolean>;
}

// Messages for the client's own error codes: what happened, and what to do. The server's errors
// have their own messages.
const messages = {
    SIGNED_OUT: "Nobody is signed in. Sign in first.",
    SUPERSEDED: "Another sign-in or sign-out came first.",
    CANCELLED: "The dialog was closed or timed out. Offer it again.",
    OFFLINE: "No answer. Check the network and connect-src. Try again.",
    NOT_FOUND: "The server has no such route.",
    ORIGIN_REFUSED: "Add this page's origin to ALLOWED_ORIGINS.",
    GATEWAY: "The answer is not Latchkey's. Check the address and proxies.",
    STORE_FAILED: "The store cannot be read. Try again.",
    UNSUPPORTED: "This browser has no passkeys. Offer another way.",
    PASSKEY_ALREADY_ADDED: "This device has a passkey of the account.",
    PASSKEY_FAILED: "The browser refused. See cause.",
};

/** An error of the server, or of this client, identified by `code`. */
export class AuthError extends Error {
    name = "AuthError";
    constructor(code, more) {
        super(messages[code] ?? code, more);
        // `more` may contain a message that replaces this one.
        Object.assign(this, more, {code});
    }
}

/** Turns a rejection into an error with this code. */
export const failed = (code) => (cause) => {
    throw new AuthError(code, {cause, action: "retry"});
};

/** An error of the server, or of this client: `code` tells which. */
export class AuthError extends Error {
    name = "AuthError";
    constructor(code, message, more) {
        super(message || code, more);
        Object.assign(this, more, {code});
    }
}

/** Turns a rejection into an error with this code. */
export const failed = (code) => (cause) => {
    throw new AuthError(code, cause.message, {cause, action: "retry"});
};

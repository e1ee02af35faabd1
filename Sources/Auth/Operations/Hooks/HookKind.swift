/// A step of an operation in which a function of the application takes part. The comments say when
/// it is called.
package enum HookKind: String, CaseIterable, Sendable {
    /// The hook is asked before an account is created; for an account with a password, before the
    /// mail that verifies its address.
    case beforeSignUp
    /// The hook is asked before a session is opened, after the sign-in's proof is verified.
    case beforeSignIn
    /// The hook is asked before an access token is issued.
    case token
    /// The hook is asked before a third-party client gets a code, and before the client's user is
    /// asked.
    case authorize
    /// The hook is asked at a sign-in with a password, for an address without an account: the
    /// application's former system checks the password.
    case migrate
    /// The hook is called after an account was merged into another: the application moves the
    /// user's data.
    case merge
    /// The hook is called after an account has been deleted: the application erases the user's
    /// data.
    case erase
    /// The hook is called instead of the mail system, for each message of the outbox.
    case send

    /// Whether an operation can continue without the hook. A merge, an erasure or a message waits.
    package var canBeSkipped: Bool {
        switch self {
        case .beforeSignUp, .beforeSignIn, .token, .authorize, .migrate: true
        case .merge, .erase, .send: false
        }
    }
}

/// A hook that decides whether an operation continues.
package enum DecidingHook: String, CaseIterable, Sendable {
    case beforeSignUp, beforeSignIn

    package var kind: HookKind {
        switch self {
        case .beforeSignUp: .beforeSignUp
        case .beforeSignIn: .beforeSignIn
        }
    }
}

/// A step of an operation in which a function of the application takes part. The comments say when
/// it is called.
package enum HookKind: String, CaseIterable, Sendable {
    /// Before an account is created; for an account with a password, before the mail that verifies
    /// its address.
    case beforeSignUp
    /// Before a session is opened, after the sign-in's proof is verified.
    case beforeSignIn
    /// Before an access token is issued.
    case token
    /// Before a third-party client gets a code, and before its user is asked.
    case authorize
    /// At a sign-in with a password, for an address without an account: checks the password with
    /// the application's former system.
    case migrate
    /// After an account was merged into another: the application moves the user's data.
    case merge
    /// After an account has been deleted: the application erases the user's data.
    case erase
    /// Instead of the mail system, for a message of the outbox.
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

public import Foundation

extension AuthError: LocalizedError {
    /// A sentence for people, in English. It does not quote the server.
    public var errorDescription: String? {
        switch self {
        case .signedOut: "You are not signed in."
        case .signInAgain: "Please sign in again."
        case .offline: "There is no connection. Please try again."
        case .unavailable(let wait):
            "The server does not answer. Please try again\(Self.text(wait))."
        case .rateLimited(let wait): "Too many attempts. Please try again\(Self.text(wait))."
        case .storeLocked: "Please unlock your device, and try again."
        case .storeFailed: "Your sign-in could not be saved on this device."
        case .superseded: "This was stopped, because you signed in or out meanwhile."
        case .refused(let refusal): refusal.text
        case .unsupported: "That does not work in this app, or on this device."
        case .cancelled: "This was stopped."
        }
    }

    /// The refusal, if the server has refused the request.
    public var refusal: Refusal? {
        if case .refused(let refusal) = self { refusal } else { nil }
    }

    private static func text(_ wait: Duration?) -> String {
        guard let seconds = wait?.components.seconds else { return "" }
        return seconds < 100
            ? " in \(max(seconds, 1)) seconds" : " in \((seconds + 59) / 60) minutes"
    }
}

extension Refusal {
    /// Texts for the errors that the user can correct. If the application's own server gives a
    /// `reason`, the app shows its own text for the reason.
    fileprivate var text: String {
        if stepUp != nil { return "Please confirm that it is you." }
        switch code {
        case "INVALID_CREDENTIALS", "WRONG_PASSWORD", "invalid_credentials":
            return "The address or the password is wrong."
        case "INVALID_CODE", "WRONG_CODE", "INVALID_LINK":
            return "The code or link is wrong, was used, or is too old."
        case "INVALID_TICKET", "INVALID_CEREMONY", "INVALID_SIGN_IN_CODE", "FLOW_EXPIRED",
            "STATE_MISMATCH", "NO_CODE", "NONCE_MISMATCH":
            return "That took too long. Please sign in again."
        case "AUTH_FAILED", "INVALID_CREDENTIAL":
            return "The sign-in did not work. Please try again."
        case "INVALID_PASSWORD": return "Please choose a password that is longer or less common."
        case "INVALID_REQUEST" where field == "email": return "That is not an e-mail address."
        case "EMAIL_TAKEN", "IDENTITY_TAKEN", "IDENTITY_IN_USE", "PASSKEY_ALREADY_ADDED",
            "METHOD_ALREADY_ADDED":
            return "That is already in use."
        case "LAST_METHOD": return "This is your last way to sign in. Please add another one first."
        case "ACCOUNT_DISABLED": return "This account is blocked."
        case "EMAIL_NOT_VERIFIED": return "Please confirm your address first."
        case "access_denied": return "The sign-in was declined."
        default: return "The server has refused that."
        }
    }
}

// The values of each kind of message. Templates are checked against these lists when they are read,
// and mails when they are rendered.
extension Mail.Kind {
    /// The placeholders that a template may use. A paragraph with a placeholder for which the mail
    /// has no value is omitted.
    ///
    /// The person who signs up chooses the names of users and devices, so messages to unverified
    /// addresses contain neither: otherwise an attacker could have any text mailed to any address.
    package var values: Set<String> {
        switch self {
        case .verifyEmail, .resetPassword:
            ["app", "link", "code", "minutes", "hours", "chosenAt"]
        case .magicLink: ["app", "link", "code", "minutes", "hours"]
        case .invitation: ["app", "link", "minutes", "hours"]
        case .alreadyRegistered: ["app", "link"]
        // The first two values are the time of the request: its name says what was requested.
        case .signInMethods: ["linkRequested", "passwordRequested", "app", "link", "methods"]
        case .passwordChanged, .accountDeleted, .newDevice:
            ["app", "link", "name", "device", "address", "time"]
        case .newApplication: ["app", "link", "name", "application", "address", "time"]
        // One of the first four values is the time of the change: its name says what was changed.
        case .secondFactorChanged:
            [
                "added", "removed", "replaced", "used",
                "app", "link", "undo", "days", "name", "device", "address", "time",
            ]
        case .emailChanged:
            ["app", "link", "name", "device", "address", "time", "days"]
        case .wrongCodes:
            ["app", "link", "name", "device", "address", "time", "count", "limit"]
        case .secondFactorRemoval: ["app", "link", "name", "time", "until"]
        case .methodAdded:
            ["app", "link", "undo", "days", "name", "device", "address", "time", "method"]
        case .methodRemoved, .addressChanged:
            ["app", "link", "name", "device", "address", "time", "method"]
        }
    }

    /// A mail needs at least one of these values; empty if it needs none.
    package var needsOneOf: Set<String> {
        switch self {
        case .verifyEmail, .resetPassword, .magicLink: ["link", "code"]
        case .invitation: ["link"]
        case .alreadyRegistered, .signInMethods, .passwordChanged, .newDevice, .newApplication,
            .methodAdded, .methodRemoved, .secondFactorChanged, .secondFactorRemoval, .wrongCodes,
            .addressChanged, .emailChanged, .accountDeleted:
            []
        }
    }

    /// Whether an operator's language may lack the message, which is then sent in another language:
    /// the kind is newer than version 0.1, whose templates must still work.
    package var isOptionalInLanguage: Bool { self == .signInMethods }
}

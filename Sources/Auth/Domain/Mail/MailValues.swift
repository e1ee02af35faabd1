// Which values a message has. The templates are held to these lists when they are read, and a mail
// when it is rendered.
extension Mail.Kind {
    /// What a template may name. A paragraph that names a value which a mail does not have is left
    /// out of it.
    ///
    /// Names of people and devices are chosen by whoever signs up: a message to an address that is
    /// not verified yet names neither, or it would carry a stranger's text to anyone.
    package var values: Set<String> {
        switch self {
        case .verifyEmail, .resetPassword:
            ["app", "link", "code", "minutes", "hours", "chosenAt"]
        case .magicLink: ["app", "link", "code", "minutes", "hours"]
        case .alreadyRegistered: ["app", "link"]
        case .passwordChanged, .secondFactorChanged, .accountDeleted, .newDevice:
            ["app", "link", "name", "device", "address", "time"]
        case .wrongCodes:
            ["app", "link", "name", "device", "address", "time", "count", "limit"]
        case .methodAdded, .methodRemoved, .addressChanged:
            ["app", "link", "name", "device", "address", "time", "method"]
        }
    }

    /// A mail without any of these would be of no use; empty where each is.
    package var needsOneOf: Set<String> {
        switch self {
        case .verifyEmail, .resetPassword, .magicLink: ["link", "code"]
        case .alreadyRegistered, .passwordChanged, .newDevice, .methodAdded, .methodRemoved,
            .secondFactorChanged, .wrongCodes, .addressChanged, .accountDeleted:
            []
        }
    }
}

package import Time

/// A message to one address: which template, and the values in it.
package struct Mail: Equatable, Sendable {
    package enum Kind: String, CaseIterable, Sendable {
        case verifyEmail, alreadyRegistered, resetPassword, passwordChanged, magicLink
        case newDevice, methodAdded, methodRemoved, secondFactorChanged, wrongCodes
        case addressChanged, accountDeleted
    }

    package let kind: Kind
    package let to: String
    /// What the request said in `Accept-Language`; nil is the default language.
    package let language: String?
    /// Names in the template and what they stand for. Each is escaped where it is inserted.
    package let values: [String: String]
    /// The link or code in it is of no use from then on, so neither is the message.
    package let expiresAt: Instant?

    package init(
        _ kind: Kind, to: String, language: String? = nil, values: [String: String] = [:],
        expiresAt: Instant? = nil
    ) {
        self.kind = kind
        self.to = to
        self.language = language
        self.values = values
        self.expiresAt = expiresAt
    }
}

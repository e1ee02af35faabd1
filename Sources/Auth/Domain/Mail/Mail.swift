package import Time

/// A message to one address: its template and the values for it.
package struct Mail: Equatable, Sendable {
    package enum Kind: String, CaseIterable, Sendable {
        case verifyEmail, alreadyRegistered, invitation, resetPassword, passwordChanged, magicLink
        case signInMethods
        case newDevice, newApplication, methodAdded, methodRemoved, secondFactorChanged, wrongCodes
        case secondFactorRemoval
        case addressChanged, emailChanged, accountDeleted
    }

    package let kind: Kind
    package let to: String
    /// The account that the message is about, if it is known.
    package let user: UserID?
    /// The language from the request's `Accept-Language` header; nil is the default language.
    package let language: String?
    /// The placeholders of the template and their values. Each value is escaped where it is
    /// inserted.
    package let values: [String: String]
    /// When the link or code in it expires: the message is not sent after that.
    package let expiresAt: Instant?

    package init(
        _ kind: Kind, to: String, user: UserID? = nil, language: String? = nil,
        values: [String: String] = [:], expiresAt: Instant? = nil
    ) {
        self.kind = kind
        self.to = to
        self.user = user
        self.language = language
        self.values = values
        self.expiresAt = expiresAt
    }
}

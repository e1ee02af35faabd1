package import Time

/// An account. Its e-mail address comes from a verified token and is never used to find or link an
/// account.
package struct User: Equatable, Sendable {
    package let id: UserID
    /// The ID shown to clients instead of `id`, in contracts with integer IDs.
    package var publicID: Int64?
    package var email: String?
    package var isEmailVerified: Bool
    /// The address that this account has claimed: only this account can sign in with it. It can
    /// differ from `email`, which follows the identity provider.
    package var login: String?
    /// Whether the user has chosen `email`: then no identity provider replaces it.
    package var hasChosenEmail: Bool
    /// The restore points, the oldest first. The links of some may have expired.
    package var restorePoints: [RestorePoint]
    package var displayName: String?
    package var identities: [LinkedIdentity]
    package let createdAt: Instant
    package var updatedAt: Instant
    /// Raising the epoch ends all sessions at once: sessions with a lower epoch have ended.
    package var epoch: Int64
    package var isDisabled: Bool
    /// Set by a soft delete, which also releases the account's identities and its e-mail address.
    package var deletedAt: Instant?
    /// The account into which this account was merged; nil if this account was not merged.
    package var mergedInto: UserID?
    /// nil if the user is not an administrator.
    package var adminRole: AdminRole?
    /// Whether the user may do everything that administrators can.
    package var isAdmin: Bool { adminRole == .administrator }
    /// Whether the account was created without a sign-in method and still has none. It is deleted
    /// when its last session has ended.
    package var isGuest: Bool
    /// Whether a session needs a second factor. The factor itself is in a separate row
    /// (`SecondFactor`); the flag is here so that a sign-in needs no further read.
    package var hasSecondFactor: Bool
    /// The account's ID for authenticators: random, and never changed once it exists (WebAuthn
    /// section 5.4.3). Nothing finds an account by it.
    package var passkeyHandle: [UInt8]?
    /// Each write increments the revision, so that of two concurrent writers only one succeeds.
    package var revision: Int64

    package init(
        id: UserID, email: String?, isEmailVerified: Bool, displayName: String?,
        identities: [LinkedIdentity], createdAt: Instant
    ) {
        self.id = id
        self.email = email
        self.isEmailVerified = isEmailVerified
        self.displayName = displayName
        self.identities = identities
        self.createdAt = createdAt
        updatedAt = createdAt
        hasChosenEmail = false
        restorePoints = []
        epoch = 0
        isDisabled = false
        isGuest = false
        hasSecondFactor = false
        revision = 0
    }

    package var loginAddress: EmailAddress? { login.flatMap(EmailAddress.init(parsing:)) }

    package var emailAddress: EmailAddress? { email.flatMap(EmailAddress.init(parsing:)) }

    /// The address that the account signs in with, if it is the verified one. Otherwise the
    /// provider has replaced `email` since the sign-up, and `login` may belong to another person.
    package var provenLogin: EmailAddress? {
        guard isEmailVerified, let login = loginAddress, login == emailAddress else { return nil }
        return login
    }

    /// The addresses that notices of changes are sent to: the login address, and the verified one,
    /// which the provider may have replaced since.
    package var noticeAddresses: [String] {
        var addresses = login.map { [$0] } ?? []
        if isEmailVerified, let email, login == nil || loginAddress != emailAddress {
            addresses.append(email)
        }
        return addresses
    }

    /// Whether one factor is enough to sign in: the account has no second factor, and has a sign-in
    /// method other than passkeys. A passkey counts as two factors.
    package var signsInWithOneFactor: Bool {
        !hasSecondFactor && identities.contains { !$0.isPasskey }
    }

    package func subject(at provider: String) -> String? {
        identities.first { $0.provider == provider }?.subject
    }

    /// - Parameter id: the subject of the passkey's identity.
    package func hasPasskey(_ id: String) -> Bool {
        identities.contains { $0.isPasskey && $0.subject.utf8.elementsEqual(id.utf8) }
    }

    /// The linked providers without duplicates, in the order of linking.
    package var providers: [String] {
        identities.reduce(into: []) { names, identity in
            if !names.contains(identity.provider) { names.append(identity.provider) }
        }
    }
}

/// (issuer, subject) from a verified identity token (ASVS 5.0, 6.8.1).
package struct LinkedIdentity: Equatable, Sendable {
    package let provider: String
    package let issuer: String
    package let subject: String
    /// nil for an identity that the account began with.
    package var addition: Addition?

    package init(provider: String, issuer: String, subject: String) {
        self.provider = provider
        self.issuer = issuer
        self.subject = subject
    }

    /// The same identity, whenever it was added.
    package static func == (left: LinkedIdentity, right: LinkedIdentity) -> Bool {
        left.provider == right.provider && left.issuer == right.issuer
            && left.subject == right.subject
    }

    package func added(_ addition: Addition) -> LinkedIdentity {
        var identity = self
        identity.addition = addition
        return identity
    }
}

extension User {
    /// The row that remains of a deleted account: no personal data and no sessions.
    package func deleted(at now: Instant) -> User {
        var user = User(
            id: id, email: nil, isEmailVerified: false, displayName: nil, identities: [],
            createdAt: createdAt)
        user.updatedAt = now
        user.epoch = epoch + 1
        user.isDisabled = isDisabled
        user.deletedAt = now
        user.revision = revision
        return user
    }

    /// The deleted account, with a reference to the account that it was merged into.
    package func merged(into other: UserID, at now: Instant) -> User {
        var user = deleted(at: now)
        user.mergedInto = other
        return user
    }
}

extension LinkedIdentity {
    /// The provider name of sessions opened with a password or a mailed link, and of the identity
    /// that represents them.
    package static let passwordProvider = "email"

    package static func password(_ email: EmailAddress) -> LinkedIdentity {
        LinkedIdentity(provider: passwordProvider, issuer: "", subject: email.folded)
    }

    package var isPassword: Bool { provider.utf8.elementsEqual(Self.passwordProvider.utf8) }

    /// The provider's name in a session, and in an identity that is a passkey.
    package static let passkeyProvider = "passkey"

    /// The provider's name in a session that began without a proof of identity.
    package static let guestProvider = "guest"

    package var isPasskey: Bool { provider.utf8.elementsEqual(Self.passkeyProvider.utf8) }
}

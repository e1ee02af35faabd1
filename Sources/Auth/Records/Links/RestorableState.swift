package import AuthDomain
package import KeyValueStore
package import Time

/// The state of an account before a change of its address, its ways to sign in or its second
/// factor, for the link that restores it.
package struct RestorableState: Equatable, Sendable {
    /// The verified address, to which the link is mailed.
    package let email: EmailAddress
    package let login: String?
    package let hasChosenEmail: Bool
    package let hasSecondFactor: Bool
    package let identities: [LinkedIdentity]
    package let changedAt: Instant
    /// The time since which the author of the change may have had access (`SessionProofs.since`).
    /// Everything that was added since then is removed together with the change, in whatever order
    /// an attacker has made the changes.
    package let since: Instant

    /// nil if the account had no verified address.
    package init?(_ user: User, since: Instant, at now: Instant) {
        guard user.isEmailVerified, let email = user.emailAddress else { return nil }
        self.email = email
        login = user.login
        hasChosenEmail = user.hasChosenEmail
        hasSecondFactor = user.hasSecondFactor
        identities = user.identities
        changedAt = now
        self.since = min(since, now)
    }

    /// The account's epoch is left out: an attacker with a session must not be able to end the
    /// link.
    package func item(_ key: ItemKey, expiresAt: Instant) -> Item {
        var attributes: Attributes = [
            "email": .text(email.text), "hasChosenEmail": .flag(hasChosenEmail),
            "hasSecondFactor": .flag(hasSecondFactor),
            "identities": .bytes(UserRecord.identities(identities)),
        ]
        attributes.set("login", login)
        attributes.set("changedAt", changedAt)
        attributes.set("since", since)
        return Item(key, attributes, expiresAt: expiresAt)
    }

    package init(_ item: Item) throws(StoreFailure) {
        let read = AttributeReader(item)
        email = try read.email("email")
        login = try read.optionalText("login")
        hasChosenEmail = try read.flag("hasChosenEmail")
        hasSecondFactor = try read.flag("hasSecondFactor")
        identities = try UserRecord.identities(try read.bytes("identities"), read)
        changedAt = try read.instant("changedAt")
        // A row of an earlier version has only the time of the change.
        since = try read.optionalInteger("since").map(Instant.init(milliseconds:)) ?? changedAt
    }

    /// Whether a sign-in method was added at `since` or later.
    package func precedes(_ addition: Addition) -> Bool { addition.at >= since }
}

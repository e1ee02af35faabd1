package import AuthDomain
package import KeyValueStore
package import Time

/// The state of an account when its address was changed, for the link that restores it.
package struct ReplacedAddress: Equatable, Sendable {
    /// It was verified: the link is mailed to no other.
    package let email: EmailAddress
    package let login: String?
    package let hasChosenEmail: Bool
    package let hasSecondFactor: Bool
    package let identities: [LinkedIdentity]
    package let changedAt: Instant

    /// nil if the account had no verified address.
    package init?(_ user: User, at now: Instant) {
        guard user.isEmailVerified, let email = user.emailAddress else { return nil }
        self.email = email
        login = user.login
        hasChosenEmail = user.hasChosenEmail
        hasSecondFactor = user.hasSecondFactor
        identities = user.identities
        changedAt = now
    }

    /// Without the account's epoch: an attacker with a session must not be able to end the link.
    package func item(_ link: AccountLink, expiresAt: Instant) -> Item {
        var attributes: Attributes = [
            "email": .text(email.text), "hasChosenEmail": .flag(hasChosenEmail),
            "hasSecondFactor": .flag(hasSecondFactor),
            "identities": .bytes(UserRecord.identities(identities)),
        ]
        attributes.set("login", login)
        attributes.set("changedAt", changedAt)
        return Item(link.key(.undoEmail), attributes, expiresAt: expiresAt)
    }

    package init(_ item: Item) throws(StoreFailure) {
        let read = AttributeReader(item)
        email = try read.email("email")
        login = try read.optionalText("login")
        hasChosenEmail = try read.flag("hasChosenEmail")
        hasSecondFactor = try read.flag("hasSecondFactor")
        identities = try UserRecord.identities(try read.bytes("identities"), read)
        changedAt = try read.instant("changedAt")
    }
}

package import AuthDomain
package import KeyValueStore
package import Time

/// An address that is not verified yet.
package struct PendingConfirmation: Equatable, Sendable {
    package let email: EmailAddress
    /// The account's epoch. Links become invalid when all sessions end.
    package let epoch: Int64

    package init(email: EmailAddress, epoch: Int64) {
        self.email = email
        self.epoch = epoch
    }

    package func isFor(_ user: User) -> Bool {
        user.emailAddress == email
    }

    package func item(_ link: AccountLink, expiresAt: Instant) -> Item {
        var item = link.item(.confirmEmail, epoch: epoch, expiresAt: expiresAt)
        item.attributes["email"] = .text(email.text)
        return item
    }

    package init(_ item: Item) throws(StoreFailure) {
        self.init(
            email: try AttributeReader(item).email("email"), epoch: try AccountLink.epoch(item))
    }
}

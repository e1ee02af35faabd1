package import AuthDomain
package import KeyValueStore
package import Time

/// A password whose address is not verified yet.
package struct PendingPassword: Equatable, Sendable {
    package let email: EmailAddress
    package let hash: String
    /// The account's epoch. Links become invalid when all sessions end.
    package let epoch: Int64

    package init(email: EmailAddress, hash: String, epoch: Int64) {
        self.email = email
        self.hash = hash
        self.epoch = epoch
    }

    package func item(_ link: AccountLink, expiresAt: Instant) -> Item {
        var item = link.item(.addPassword, epoch: epoch, expiresAt: expiresAt)
        item.attributes["email"] = .text(email.text)
        item.attributes["hash"] = .text(hash)
        return item
    }

    package init(_ item: Item) throws(StoreFailure) {
        let read = AttributeReader(item)
        self.init(
            email: try read.email("email"), hash: try read.text("hash"),
            epoch: try AccountLink.epoch(item))
    }
}

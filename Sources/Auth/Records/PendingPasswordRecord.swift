package import AuthDomain
package import KeyValueStore
package import Time

/// A password that waits for the proof of its address.
package struct PendingPassword: Equatable, Sendable {
    package let email: EmailAddress
    package let hash: String
    /// The account's. When its sessions end, so do its links.
    package let epoch: Int64

    package init(email: EmailAddress, hash: String, epoch: Int64) {
        self.email = email
        self.hash = hash
        self.epoch = epoch
    }
}

package enum PendingPasswordRecord {
    package static func item(
        _ pending: PendingPassword, _ link: AccountLink, expiresAt: Instant
    ) -> Item {
        var item = link.item(.addPassword, epoch: pending.epoch, expiresAt: expiresAt)
        item.attributes["email"] = .text(pending.email.text)
        item.attributes["hash"] = .text(pending.hash)
        return item
    }

    package static func pending(_ item: Item) throws(StoreFailure) -> PendingPassword {
        let read = AttributeReader(item)
        guard let email = EmailAddress(parsing: try read.text("email")) else {
            throw read.unreadable("email")
        }
        return PendingPassword(
            email: email, hash: try read.text("hash"), epoch: try AccountLink.epoch(item))
    }
}

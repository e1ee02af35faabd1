package import AuthDomain
package import KeyValueStore
package import Time

/// A registration whose address is not verified yet. It does not claim the address, and each
/// attempt has its own link, so that one attempt cannot replace another.
package struct PendingRegistration: Equatable, Sendable {
    package let email: EmailAddress
    package let passwordHash: String
    package let displayName: String?
    package let createdAt: Instant

    package init(
        email: EmailAddress, passwordHash: String, displayName: String?, createdAt: Instant
    ) {
        self.email = email
        self.passwordHash = passwordHash
        self.displayName = displayName
        self.createdAt = createdAt
    }

    package func item(_ link: AddressLink, expiresAt: Instant) -> Item {
        var attributes: Attributes = [
            "email": .text(email.text), "hash": .text(passwordHash),
        ]
        attributes.set("displayName", displayName)
        attributes.set("createdAt", createdAt)
        return Item(link.key(.registration), attributes, expiresAt: expiresAt)
    }

    package init(_ item: Item) throws(StoreFailure) {
        let read = AttributeReader(item)
        self.init(
            email: try read.email("email"), passwordHash: try read.text("hash"),
            displayName: try read.optionalText("displayName"),
            createdAt: try read.instant("createdAt"))
    }
}

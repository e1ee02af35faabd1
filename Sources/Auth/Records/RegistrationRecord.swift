package import AuthDomain
package import KeyValueStore
package import Time

/// A registration whose address is not verified yet. It does not claim the address, and each attempt
/// has its own link, so that one attempt cannot replace another.
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
}

package enum RegistrationRecord {
    package static func item(
        _ registration: PendingRegistration, _ link: AddressLink, expiresAt: Instant
    ) -> Item {
        var attributes: [String: Attribute] = [
            "email": .text(registration.email.text),
            "hash": .text(registration.passwordHash),
        ]
        attributes.set("displayName", registration.displayName)
        attributes.set("createdAt", registration.createdAt)
        return Item(link.key(.registration), attributes, expiresAt: expiresAt)
    }

    package static func registration(_ item: Item) throws(StoreFailure) -> PendingRegistration {
        let read = AttributeReader(item)
        guard let email = EmailAddress(parsing: try read.text("email")) else {
            throw read.unreadable("email")
        }
        return PendingRegistration(
            email: email, passwordHash: try read.text("hash"),
            displayName: try read.optionalText("displayName"),
            createdAt: try read.instant("createdAt"))
    }
}

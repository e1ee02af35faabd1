package import AuthDomain
internal import Bytes
package import Cryptography
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
        _ registration: PendingRegistration, _ link: RegistrationLink, expiresAt: Instant
    ) -> Item {
        var attributes: [String: Attribute] = [
            "email": .text(registration.email.text),
            "hash": .text(registration.passwordHash),
        ]
        attributes.set("displayName", registration.displayName)
        attributes.set("createdAt", registration.createdAt)
        return Item(link.key, attributes, expiresAt: expiresAt)
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

/// The secret of a verification link: the digest of the address, by which its row is found, and 32
/// random bytes of which the store has the hash.
package struct RegistrationLink: Sendable {
    private let addressDigest: [UInt8]
    private let secretHash: [UInt8]

    private static let digestBytes = 32
    private static let secretBytes = 32

    /// - Returns: the text for the mail, and what the store keeps of it.
    package static func make(
        for email: EmailAddress, random: RandomSource
    ) -> (String, RegistrationLink) {
        let (digest, secret) = (StoreLayout.addressDigest(email), random.bytes(secretBytes))
        return (
            Base64URL.encode(digest + secret),
            RegistrationLink(addressDigest: digest, secretHash: SHA256.hash(secret))
        )
    }

    package init?(parsing text: String) {
        guard let bytes = Base64URL.decode(text),
            bytes.count == Self.digestBytes + Self.secretBytes
        else { return nil }
        self.init(
            addressDigest: Array(bytes[..<Self.digestBytes]),
            secretHash: SHA256.hash(Array(bytes[Self.digestBytes...])))
    }

    private init(addressDigest: [UInt8], secretHash: [UInt8]) {
        self.addressDigest = addressDigest
        self.secretHash = secretHash
    }

    package var key: ItemKey {
        StoreLayout.registration(addressDigest: addressDigest, secretHash: secretHash)
    }

    /// The row that says whose the address is.
    package var claimKey: ItemKey { StoreLayout.emailClaim(addressDigest: addressDigest) }
}

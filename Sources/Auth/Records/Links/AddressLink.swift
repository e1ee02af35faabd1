package import AuthDomain
internal import Bytes
package import Cryptography
package import KeyValueStore

/// The secret of a link that is mailed to an address, whether or not it has an account: the digest
/// of the address, by which the row is found, and 32 random bytes, of which the store has the hash.
package struct AddressLink: Sendable {
    /// A link for one purpose is refused for any other.
    package enum Purpose: Sendable { case registration, magicLink }

    private let addressDigest: [UInt8]
    private let secretHash: [UInt8]

    private static let digestBytes = 32
    private static let secretBytes = 32

    /// - Returns: the text for the mail, and the value by which the store finds it.
    package static func make(
        for email: EmailAddress, random: RandomSource
    ) -> (String, AddressLink) {
        let (digest, secret) = (StoreLayout.addressDigest(email), random.bytes(secretBytes))
        return (
            Base64URL.encode(digest + secret),
            AddressLink(addressDigest: digest, secretHash: SHA256.hash(secret))
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

    /// - Parameter place: `place` of the link.
    package init?(at place: [UInt8]) {
        guard place.count == Self.digestBytes + Self.secretBytes else { return nil }
        self.init(
            addressDigest: Array(place[..<Self.digestBytes]),
            secretHash: Array(place[Self.digestBytes...]))
    }

    /// The position of the row, without its secret. Everyone who knows the address can compute it.
    package var place: [UInt8] { addressDigest + secretHash }

    private init(addressDigest: [UInt8], secretHash: [UInt8]) {
        self.addressDigest = addressDigest
        self.secretHash = secretHash
    }

    package func key(_ purpose: Purpose) -> ItemKey {
        switch purpose {
        case .registration:
            StoreLayout.registration(addressDigest: addressDigest, secretHash: secretHash)
        case .magicLink:
            StoreLayout.magicLink(addressDigest: addressDigest, secretHash: secretHash)
        }
    }

    /// The partition of the address's unverified registrations.
    package var registrations: String {
        StoreLayout.registrations(addressDigest: addressDigest)
    }

    /// The row with the ID of the account that owns the address.
    package var claimKey: ItemKey { StoreLayout.emailClaim(addressDigest: addressDigest) }
}

internal import Bytes
package import Cryptography

/// The challenge of one ceremony: random, stored by the server, and used once (WebAuthn,
/// "Cryptographic Challenges").
package struct Challenge: Sendable, Equatable {
    /// The same section requires at least 16 bytes.
    package static let byteCounts = 16...128
    package static let newByteCount = 32

    package let bytes: [UInt8]

    /// Creates a challenge from the bytes in the store.
    package init?(_ bytes: [UInt8]) {
        guard Self.byteCounts.contains(bytes.count) else { return nil }
        self.bytes = bytes
    }

    package static func generate(random: RandomSource) -> Challenge {
        Challenge(new: random.bytes(newByteCount))
    }

    private init(new bytes: [UInt8]) { self.bytes = bytes }

    /// The challenge in base64url, as in options and in `clientDataJSON`.
    package var text: String { Base64URL.encode(bytes) }

    /// Compares in a time that does not depend on the content.
    package static func == (left: Challenge, right: Challenge) -> Bool {
        constantTimeEquals(left.bytes, right.bytes)
    }
}

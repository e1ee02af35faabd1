internal import Bytes
package import Cryptography

/// The challenge of one ceremony: random, stored by the server, and used once (WebAuthn,
/// "Cryptographic Challenges").
package struct Challenge: Sendable, Equatable {
    /// At least 16 by the same section.
    package static let byteCounts = 16...128
    package static let newByteCount = 32

    package let bytes: [UInt8]

    /// From the store.
    package init?(_ bytes: [UInt8]) {
        guard Self.byteCounts.contains(bytes.count) else { return nil }
        self.bytes = bytes
    }

    package static func generate(random: RandomSource) -> Challenge {
        Challenge(new: random.bytes(newByteCount))
    }

    private init(new bytes: [UInt8]) { self.bytes = bytes }

    /// Base64url, as in options and in `clientDataJSON`.
    package var text: String { Base64URL.encode(bytes) }

    /// In a time that does not depend on the content.
    package static func == (left: Challenge, right: Challenge) -> Bool {
        constantTimeEquals(left.bytes, right.bytes)
    }
}

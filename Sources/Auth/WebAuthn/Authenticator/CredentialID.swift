internal import Bytes

/// A credential's identifier, chosen by the authenticator: 1 to 1023 bytes (WebAuthn section 4).
package struct CredentialID: Sendable, Hashable {
    package static let byteCounts = 1...1023

    package let bytes: [UInt8]

    package init?(_ bytes: [UInt8]) {
        guard Self.byteCounts.contains(bytes.count) else { return nil }
        self.bytes = bytes
    }

    /// The ID in base64url, as in the JSON messages.
    package var text: String { Base64URL.encode(bytes) }
}

/// The identifier of an account for authenticators: 1 to 64 random bytes that never change
/// (WebAuthn sections 5.4.3 and 14.6.1).
package struct UserHandle: Sendable, Hashable {
    package static let byteCounts = 1...64
    /// The recommended number of random bytes for a new account.
    package static let newByteCount = 64

    package let bytes: [UInt8]

    package init?(_ bytes: [UInt8]) {
        guard Self.byteCounts.contains(bytes.count) else { return nil }
        self.bytes = bytes
    }

    package var text: String { Base64URL.encode(bytes) }
}

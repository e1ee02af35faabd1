package import Bytes
internal import Cryptography

/// The one secret that a deployment must keep. Each use has a key of its own, so that what one
/// use gives away says nothing of another.
package struct MasterKey: Sendable {
    package static let bytesMin = 32

    /// Refresh tokens are computed with it.
    package let refreshTokens: SecretBytes
    /// Signing keys in the store are sealed with it.
    package let signingKeys: SecretBytes
    /// Providers' own tokens in the store are sealed with it.
    package let grants: SecretBytes

    package init?(_ secret: SecretBytes) {
        guard secret.count >= Self.bytesMin else { return nil }
        func derived(_ use: StaticString) -> SecretBytes {
            HKDF.sha256(secret, salt: [], info: Array("latchkey \(use) 1".utf8), count: 32)
        }
        refreshTokens = derived("refresh tokens")
        signingKeys = derived("signing keys")
        grants = derived("grants")
    }
}

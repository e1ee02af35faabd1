package import Bytes
internal import Cryptography

/// The one secret that a deployment must keep. Each use has a derived key of its own, so that one
/// key that leaks does not give away the others.
package struct MasterKey: Sendable {
    package static let bytesMin = 32

    /// Refresh tokens are computed with it.
    package let refreshTokens: SecretBytes
    /// Checks that a refresh token is one of ours before the store is asked.
    package let refreshTokenChecks: SecretBytes
    /// Signing keys in the store are sealed with it.
    package let signingKeys: SecretBytes
    /// Refresh tokens of identity providers are sealed in the store with it.
    package let grants: SecretBytes
    /// Messages that wait in the outbox are sealed with it: they hold links and codes.
    package let mail: SecretBytes

    package init?(_ secret: SecretBytes) {
        guard secret.count >= Self.bytesMin else { return nil }
        func derived(_ use: StaticString) -> SecretBytes {
            HKDF.sha256(secret, salt: [], info: Array("latchkey \(use) 1".utf8), count: 32)
        }
        refreshTokens = derived("refresh tokens")
        refreshTokenChecks = derived("refresh token checks")
        signingKeys = derived("signing keys")
        grants = derived("grants")
        mail = derived("mail")
    }
}

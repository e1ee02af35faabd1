package import Bytes
internal import Cryptography

/// The only secret of a deployment. A separate key is derived for each purpose, so that a leaked
/// one does not compromise the others.
package struct MasterKey: Sendable {
    package static let bytesMin = 32

    /// For deriving refresh tokens.
    package let refreshTokens: SecretBytes
    /// For the check in refresh tokens, which is verified without the store.
    package let refreshTokenChecks: SecretBytes
    /// For encrypting signing keys in the store.
    package let signingKeys: SecretBytes
    /// For encrypting identity providers' refresh tokens in the store.
    package let grants: SecretBytes
    /// Messages that wait in the outbox are sealed with it: they hold links and codes.
    package let mail: SecretBytes
    /// For the links of the audit log.
    package let audit: SecretBytes

    package init?(_ secret: SecretBytes) {
        guard secret.count >= Self.bytesMin else { return nil }
        func derived(_ use: StaticString) -> SecretBytes { Self.derived(secret, use) }
        refreshTokens = derived("refresh tokens")
        refreshTokenChecks = derived("refresh token checks")
        signingKeys = derived("signing keys")
        grants = derived("grants")
        mail = derived("mail")
        audit = derived("audit")
    }

    /// The key of the audit log, of a secret that is used for nothing else.
    package static func auditKey(of secret: SecretBytes) -> SecretBytes { derived(secret, "audit") }

    private static func derived(_ secret: SecretBytes, _ use: StaticString) -> SecretBytes {
        HKDF.sha256(secret, salt: [], info: Array("latchkey \(use) 1".utf8), count: 32)
    }
}

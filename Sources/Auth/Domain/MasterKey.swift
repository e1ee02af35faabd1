package import Bytes
package import Cryptography

/// The only secret of a deployment. A separate key is derived for each purpose, so that a leaked
/// one does not compromise the others.
package struct MasterKey: Sendable {
    package static let bytesMin = 32

    /// Identifies the key without revealing anything about it.
    package let id: [UInt8]
    /// Earlier master keys: values that were derived from them or encrypted with them are still
    /// accepted.
    package var previous: [MasterKey] = []

    /// Derives refresh tokens.
    package let refreshTokens: SecretBytes
    /// Computes the MAC in refresh tokens that is verified without the store.
    package let refreshTokenChecks: SecretBytes
    /// Encrypts signing keys in the store.
    package let signingKeys: SecretBytes
    /// Encrypts identity providers' refresh tokens in the store.
    package let grants: SecretBytes
    /// Encrypts messages in the outbox, which contain links and codes.
    package let mail: SecretBytes
    /// Encrypts the secrets of authenticator apps in the store.
    package let secondFactors: SecretBytes
    /// Encrypts passkeys in the store, each bound to the row of its account.
    package let passkeys: SecretBytes
    /// Computes the links of the audit log.
    package let audit: SecretBytes
    /// Authenticates the nonces of DPoP proofs.
    package let proofNonces: SecretBytes

    package init?(_ secret: SecretBytes) {
        guard secret.count >= Self.bytesMin else { return nil }
        func derived(_ use: StaticString) -> SecretBytes { Self.derived(secret, use) }
        id = Array(derived("key id").reveal().prefix(4))
        refreshTokens = derived("refresh tokens")
        refreshTokenChecks = derived("refresh token checks")
        signingKeys = derived("signing keys")
        grants = derived("grants")
        mail = derived("mail")
        secondFactors = derived("second factors")
        passkeys = derived("passkeys")
        audit = derived("audit")
        proofNonces = derived("proof nonces")
    }

    /// Encrypts with the key derived from this master key. Decrypts also with the keys derived from
    /// the previous master keys.
    package func sealing(
        _ use: (MasterKey) -> SecretBytes
    ) throws(CryptoFailure) -> AESGCMKey {
        try AESGCMKey(use(self), previous: previous.map(use))
    }

    /// The key of the audit log, derived from a separate secret (`AUDIT_KEY`).
    package static func auditKey(of secret: SecretBytes) -> SecretBytes { derived(secret, "audit") }

    private static func derived(_ secret: SecretBytes, _ use: StaticString) -> SecretBytes {
        HKDF.sha256(secret, salt: [], info: Array("latchkey \(use) 1".utf8), count: 32)
    }
}

/// Why a key or a set of keys was refused.
package enum KeyFailure: Error, Equatable, Sendable {
    /// A member is missing, of the wrong type, not canonical base64url, or of the wrong length.
    case malformed
    /// A kind, curve or algorithm that we do not have.
    case unsupported
    /// `use` or `key_ops` say that the key is for something else.
    case wrongUse
    /// Numbers that `Cryptography` refuses: too small, off the curve, known to be broken.
    case unusable
    /// A private key where a public one belongs: whoever published it gave it away.
    case privateKey
    case duplicateKeyID
    /// Secrets beside public keys: one set must not leave open which of the two a name means.
    case mixedKinds
    case tooManyKeys
    case noUsableKey
}

/// Why a key or a key set was refused.
package enum KeyFailure: Error, Equatable, Sendable {
    /// A member is missing, of the wrong type, not canonical base64url, or of the wrong length.
    case malformed
    /// A key type, curve or algorithm that is not supported.
    case unsupported
    /// `use` or `key_ops` specify another use of the key.
    case wrongUse
    /// `Cryptography` refuses the key: it is too small, not on the curve, or known to be weak.
    case unusable
    /// A private key in a set of public keys: by being published it is compromised.
    case privateKey
    case duplicateKeyID
    /// There are secrets among public keys, so a key ID could refer to either.
    case mixedKinds
    case tooManyKeys
    case noUsableKey
}

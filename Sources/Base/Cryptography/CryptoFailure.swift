/// Errors of this module. No case carries data, because the input is often secret.
package enum CryptoFailure: Error, Equatable, Sendable {
    /// The bytes are not a key of the expected kind, or the key must not be used.
    case invalidKey
    /// The text or bytes do not have the expected format.
    case malformed
    /// A parameter is outside its limit.
    case limitExceeded
    /// The ciphertext, its tag or its additional data was changed.
    case notAuthentic
    /// The C library failed: out of memory, or an algorithm that this build lacks.
    case libraryFailure
}

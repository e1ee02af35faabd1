/// What can go wrong here. No case carries data: what failed is often a secret.
package enum CryptoFailure: Error, Equatable, Sendable {
    /// The bytes are not a key of the expected kind, or a key that must not be used.
    case invalidKey
    /// The text or bytes do not have the form that the operation reads.
    case malformed
    /// A parameter is outside its stated limit.
    case limitExceeded
    /// The ciphertext, its tag or its additional data is not what was sealed.
    case notAuthentic
    /// The C library refused: out of memory, or an algorithm that this build lacks.
    case libraryFailure
}

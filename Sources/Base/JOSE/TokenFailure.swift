/// Why a token was refused. Contains nothing of the token.
package enum TokenFailure: Error, Equatable, Sendable {
    case tooLarge
    /// The token does not have three canonical base64url parts, or its header is not a strict JSON
    /// object.
    case malformed
    case missingKeyID
    case unknownKeyID
    /// The header's `alg` differs from the key's algorithm.
    case algorithmMismatch
    /// `crit`, `b64` or `zip`: extensions that are not supported and must not be ignored.
    case criticalHeader
    case badSignature
    case wrongType
    /// The signature is valid, but the payload is not a strict JSON object, or a registered claim
    /// has the wrong type.
    case malformedClaims
    case missingClaim(String)
    case wrongIssuer
    case wrongAudience
    case expired
    case notYetValid
    case issuedInFuture
    case tooOld
}

/// Why a token was refused. Holds nothing of the token.
package enum TokenFailure: Error, Equatable, Sendable {
    case tooLarge
    /// Not three canonical base64url parts, or a header that is no strict JSON object.
    case malformed
    case missingKeyID
    case unknownKeyID
    /// The header names another algorithm than our key has.
    case algorithmMismatch
    /// `crit`, `b64` or `zip`: extensions that we do not have and must not overlook.
    case criticalHeader
    case badSignature
    case wrongType
    /// Signed, but no strict JSON object, or a registered claim of the wrong kind.
    case malformedClaims
    case missingClaim(String)
    case wrongIssuer
    case wrongAudience
    case expired
    case notYetValid
    case issuedInFuture
    case tooOld
}

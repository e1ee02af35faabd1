internal import JOSE

/// Why an ID token is refused. Contains nothing of the token.
package enum IdentityFailure: Error, Equatable, Sendable {
    /// The token is not a JWT with the claims of an ID token.
    case invalidIDToken
    case missingKeyID
    /// The provider does not publish a key with that ID.
    case unknownKeyID
    /// This is also the failure if the algorithms of token and key differ.
    case invalidSignature
    case invalidIssuer
    case invalidAudience
    case tokenExpired
    case tokenNotYetValid
    /// The token was issued in the future.
    case invalidIssuedAt
    /// The token was issued too long ago, although it has not expired.
    case tokenTooOld
    case nonceMismatch
    /// `sub` is missing, too long, or contains control characters.
    case invalidSubject
    /// The provider's keys are not available. The only failure that is not the client's: a 503.
    case keysUnavailable(KeyFetchFailure)
}

extension IdentityFailure {
    /// The only place where failures of JOSE are mapped.
    init(_ failure: TokenFailure) {
        switch failure {
        case .tooLarge, .malformed, .criticalHeader, .wrongType, .malformedClaims:
            self = .invalidIDToken
        case .missingClaim("iss"): self = .invalidIssuer
        case .missingClaim("aud"): self = .invalidAudience
        case .missingClaim: self = .invalidIDToken
        case .missingKeyID: self = .missingKeyID
        case .unknownKeyID: self = .unknownKeyID
        case .algorithmMismatch, .badSignature: self = .invalidSignature
        case .wrongIssuer: self = .invalidIssuer
        case .wrongAudience: self = .invalidAudience
        case .expired: self = .tokenExpired
        case .notYetValid: self = .tokenNotYetValid
        case .issuedInFuture: self = .invalidIssuedAt
        case .tooOld: self = .tokenTooOld
        }
    }
}

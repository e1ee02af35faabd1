internal import JOSE

/// Why an ID token does not sign anybody in. Holds nothing of the token.
package enum IdentityFailure: Error, Equatable, Sendable {
    /// Not a JWT with the claims of an ID token: its parts, encoding, header or claims are wrong.
    case invalidIDToken
    case missingKeyID
    /// The provider does not publish a key of that name.
    case unknownKeyID
    /// Also for a token whose algorithm is not its key's.
    case invalidSignature
    case invalidIssuer
    case invalidAudience
    case tokenExpired
    case tokenNotYetValid
    /// Issued in the future.
    case invalidIssuedAt
    /// Issued too long ago, though it has not expired.
    case tokenTooOld
    case nonceMismatch
    /// `sub` is missing, too long, or holds control characters.
    case invalidSubject
    /// The provider's keys are not available. The one failure that is not the caller's: a 503.
    case keysUnavailable(KeyFetchFailure)
}

extension IdentityFailure {
    /// The one place where the failures of JOSE are mapped.
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

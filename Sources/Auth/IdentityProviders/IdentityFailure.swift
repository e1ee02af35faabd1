internal import JOSE

/// Why an ID token does not sign anybody in. Holds nothing of the token.
package enum IdentityFailure: Error, Equatable, Sendable {
    /// No JWT of the kind that ID tokens are: parts, encoding, header, claims.
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
    /// `sub` is missing or no name that we would keep.
    case invalidSubject
    /// The provider's keys could not be had. The one failure that is not the caller's: a 503.
    case keysUnavailable(KeysUnavailable)
}

extension IdentityFailure {
    /// The one place where JOSE's reasons become ours.
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

/// Why there are no keys, for the log.
package enum KeysUnavailable: Error, Equatable, Sendable {
    case unreachable
    case timedOut
    case status(Int)
    case tooLarge
    /// No JSON, no JWKS, or a JWKS with one name for two keys.
    case malformed
    /// A JWKS in which nothing is of use, such as an empty one.
    case noUsableKey
    /// The OpenID configuration speaks for another issuer, or points to where we do not go.
    case untrustedDiscovery
    case storeUnavailable
    /// Another process is fetching, or failed less than a minute ago.
    case pending
}

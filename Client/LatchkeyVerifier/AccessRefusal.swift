internal import JOSE

/// Why a request is refused, and what to answer.
public enum AccessRefusal: Error, Equatable, Sendable {
    /// The request has no bearer token.
    case missingToken
    case invalidToken(InvalidToken)
    /// The server's keys cannot be fetched, and there are no usable older ones.
    case keysUnavailable(retryAfterSeconds: Int)
    /// The list of what has ended cannot be had, or has no room for all.
    case revocationsUnavailable(retryAfterSeconds: Int)

    /// The status of the answer.
    public var status: Int {
        switch self {
        case .missingToken, .invalidToken: 401
        case .keysUnavailable, .revocationsUnavailable: 503
        }
    }

    /// The header of the answer (RFC 6750 section 3), which does not give the reason.
    public var headers: [String: String] {
        switch self {
        // Section 3.1: no error code without a token.
        case .missingToken: ["WWW-Authenticate": "Bearer"]
        case .invalidToken: ["WWW-Authenticate": #"Bearer error="invalid_token""#]
        case .keysUnavailable(let seconds), .revocationsUnavailable(let seconds):
            ["Retry-After": "\(seconds)"]
        }
    }
}

/// The reason why a token is invalid, for logs and metrics.
public enum InvalidToken: String, Error, Equatable, Sendable {
    case malformed, unknownKey, wrongAlgorithm, badSignature, wrongType, wrongIssuer, wrongAudience
    case expired, notYetValid
    /// The token can be used only with a proof of the client's key (RFC 9449).
    case boundToKey
    /// Its session has ended.
    case ended
    /// It lacks the claims that the list of what has ended is about: it is older than
    /// `REVOCATIONS`. The client gets one that has them.
    case unlistable

    init(_ failure: TokenFailure) {
        self =
            switch failure {
            case .tooLarge, .malformed, .malformedClaims, .criticalHeader, .missingClaim: .malformed
            case .missingKeyID, .unknownKeyID: .unknownKey
            case .algorithmMismatch: .wrongAlgorithm
            case .badSignature: .badSignature
            case .wrongType: .wrongType
            case .wrongIssuer: .wrongIssuer
            case .wrongAudience: .wrongAudience
            case .expired, .tooOld: .expired
            case .notYetValid, .issuedInFuture: .notYetValid
            }
    }
}

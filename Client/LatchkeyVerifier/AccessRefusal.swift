internal import JOSE

/// Why a request is refused, and how to respond.
public enum AccessRefusal: Error, Equatable, Sendable {
    /// The request has no bearer token.
    case missingToken
    case invalidToken(InvalidToken)
    /// The server's keys cannot be fetched, and there are no usable older ones.
    case keysUnavailable(retryAfterSeconds: Int)
    /// The list of ended sessions cannot be fetched, or is incomplete because too many sessions
    /// have ended.
    case revocationsUnavailable(retryAfterSeconds: Int)

    public var status: Int {
        switch self {
        case .missingToken, .invalidToken: 401
        case .keysUnavailable, .revocationsUnavailable: 503
        }
    }

    /// The header of the response (RFC 6750 section 3). It does not contain the reason.
    public var headers: [String: String] {
        switch self {
        // RFC 6750 section 3.1: without a token there is no error code.
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
    /// The session of the token has ended.
    case ended
    /// The token lacks the claims that the list of ended sessions needs, because it was issued
    /// before `REVOCATIONS` was set. After a refresh, the client has a token with those claims.
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

import Foundation

enum GoogleSignInError: LocalizedError, Equatable {
    case invalidAuthorizationResponse
    case stateMismatch
    case noAuthorizationCode
    case tokenExchangeFailed(String)
    case userCancelled
    case invalidIDToken
    case missingKeyID
    case unknownKeyID
    case invalidSignature
    case invalidIssuer
    case invalidAudience
    case tokenExpired
    case invalidIssuedAt
    case nonceMismatch
    case webAuthenticationUnavailable

    var errorDescription: String? {
        switch self {
        case .userCancelled: "You cancelled the sign-in."
        case .webAuthenticationUnavailable: "No browser can be opened. Please sign in another way."
        case .tokenExchangeFailed: "Google did not complete the sign-in. Please try again."
        case .tokenExpired, .invalidIssuedAt:
            "The sign-in took too long. Please check the device's clock, and try again."
        case .stateMismatch, .nonceMismatch, .noAuthorizationCode, .invalidAuthorizationResponse:
            "This was not an answer to your sign-in. Please try again."
        case .invalidIDToken, .missingKeyID, .unknownKeyID, .invalidSignature, .invalidIssuer,
            .invalidAudience:
            "Google's answer could not be verified. Please try again, or sign in another way."
        }
    }
}

import AppSupport
import LatchkeyClient

struct AuthResponse: Codable {
    let accessToken: String
    let refreshToken: String
    let expiresIn: Int
    let expiresAt: Int
    let user: AuthUser
}

struct AuthUser: Codable {
    let id: String
    let email: String?
    let createdAt: String
}

enum AuthError: Error {
    case notLoggedIn
    case sessionExpired
    case invalidResponse
}

struct APIError: Error {
    let statusCode: Int
}

/// The app's reaction to an error code of the server.
enum Remedy: String {
    case fix = "use \"apple\" or \"google\""
    case sendIdentityToken = "include the identity token"
    case signInAgain = "sign in again"
    case sendRefreshToken = "include the refresh token"

    init?(code: String?) {
        switch code {
        case "INVALID_PROVIDER": self = .fix
        case "MISSING_TOKEN": self = .sendIdentityToken
        case "AUTH_FAILED", "INVALID_REFRESH_TOKEN": self = .signInAgain
        case "MISSING_REFRESH_TOKEN": self = .sendRefreshToken
        default: return nil
        }
    }
}

extension ClientError {
    /// Converts an error to those of the original app. Other errors are passed on, and the tokens
    /// are kept.
    var inApp: any Error {
        switch self {
        case .signedOut: AuthError.notLoggedIn
        case .signInAgain: AuthError.sessionExpired
        case .refused(let refusal): APIError(statusCode: refusal.status)
        case .offline, .unavailable, .rateLimited, .storeLocked, .storeFailed, .superseded,
            .unsupported, .cancelled:
            self
        }
    }
}

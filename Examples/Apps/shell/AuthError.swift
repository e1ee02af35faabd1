import AppSupport
import Foundation
import LatchkeyClient

#if !canImport(Darwin)
    typealias OSStatus = Int32
#endif

enum AuthError: Error, LocalizedError {
    case invalidCredentials
    case networkError(any Error)
    case tokenExpired
    case noRefreshToken
    case refreshFailed
    case keychainError(OSStatus)
    case invalidResponse

    var errorDescription: String? {
        switch self {
        case .invalidCredentials: "Invalid email or password"
        case .networkError(let error): "Network error: \(error.localizedDescription)"
        case .tokenExpired: "Your session has expired"
        case .noRefreshToken: "No refresh token available"
        case .refreshFailed: "Failed to refresh session"
        case .keychainError(let status): "Keychain error: \(status)"
        case .invalidResponse: "Invalid server response"
        }
    }

    /// The app's text for an error of the client.
    init(_ error: ClientError) {
        switch error {
        case .signedOut: self = .noRefreshToken
        case .signInAgain: self = .tokenExpired
        case .refused(let refusal) where refusal.code == "unauthorized": self = .invalidCredentials
        case .refused, .unsupported: self = .invalidResponse
        case .offline, .unavailable, .rateLimited, .storeLocked, .storeFailed, .superseded,
            .cancelled:
            self = .networkError(TryAgain())
        }
    }
}

/// The session continues.
struct TryAgain: LocalizedError {
    var errorDescription: String? { "please try again" }
}

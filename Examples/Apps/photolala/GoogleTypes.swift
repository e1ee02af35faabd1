import Foundation

/// Google answers in snake_case.
struct TokenResponse: Codable, Sendable {
    let idToken: String
    let accessToken: String
    let refreshToken: String?
    let expiresIn: Int

    private enum CodingKeys: String, CodingKey {
        case idToken = "id_token"
        case accessToken = "access_token"
        case refreshToken = "refresh_token"
        case expiresIn = "expires_in"
    }
}

struct GoogleJWTClaims: Sendable {
    let subject: String
    let email: String?
    let emailVerified: Bool?
    let name: String?
    let picture: String?
    let issuer: String
    /// The client that the token is intended for. The original app takes the first audience, even
    /// if it is another client.
    let audience: String
    let expiration: Date
    let issuedAt: Date
    let nonce: String?
}

struct VerifiedToken: Sendable {
    let idToken: String
    let claims: GoogleJWTClaims
}

struct GoogleCredential: Sendable {
    let idToken: String
    let accessToken: String
    let claims: GoogleJWTClaims
}

// Tokens must not appear in logs.
extension TokenResponse: CustomStringConvertible, CustomReflectable {
    var description: String { "token response" }
    var customMirror: Mirror { Mirror(self, children: []) }
}

extension VerifiedToken: CustomStringConvertible, CustomReflectable {
    var description: String { "verified token" }
    var customMirror: Mirror { Mirror(self, children: []) }
}

extension GoogleCredential: CustomStringConvertible, CustomReflectable {
    var description: String { "credential of Google" }
    var customMirror: Mirror { Mirror(self, children: []) }
}

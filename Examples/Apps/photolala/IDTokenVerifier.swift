import Foundation

/// Verifies Google's identity tokens (OpenID Connect Core section 3.1.3.7).
struct IDTokenVerifier: Sendable {
    static let bytesMax = 16 << 10

    let configuration: GoogleOAuthConfiguration
    let keys: GooglePublicKeyCache

    func verify(
        _ token: String, nonce: String?, at now: Date
    ) async throws -> VerifiedToken {
        let parts = token.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
        guard token.utf8.count <= Self.bytesMax, parts.count == 3,
            let header: Header = decoded(parts[0]), header.alg == "RS256", header.crit == nil,
            let signature = bytes(parts[2])
        else { throw GoogleSignInError.invalidIDToken }
        guard let keyID = header.kid else { throw GoogleSignInError.missingKeyID }
        guard let key = try await keys.key(keyID, at: now) else {
            throw GoogleSignInError.unknownKeyID
        }
        let signed = Data("\(parts[0]).\(parts[1])".utf8)
        guard key.isValid(signature, for: signed) else { throw GoogleSignInError.invalidSignature }
        guard let payload: Payload = decoded(parts[1]) else {
            throw GoogleSignInError.invalidIDToken
        }
        return VerifiedToken(idToken: token, claims: try claims(payload, nonce, now))
    }

    private func claims(
        _ payload: Payload, _ nonce: String?, _ now: Date
    ) throws(GoogleSignInError) -> GoogleJWTClaims {
        guard configuration.issuers.contains(payload.iss) else { throw .invalidIssuer }
        // A token with several audiences is accepted if this client requested it (`azp`).
        let clients = payload.aud?.values ?? []
        guard clients.contains(configuration.clientID),
            payload.azp == configuration.clientID || (clients.count == 1 && payload.azp == nil)
        else { throw .invalidAudience }
        let expiration = Date(timeIntervalSince1970: payload.exp)
        let issuedAt = Date(timeIntervalSince1970: payload.iat)
        guard expiration > now else { throw .tokenExpired }
        guard issuedAt.timeIntervalSince(now) <= 60 else { throw .invalidIssuedAt }
        guard nonce == nil || payload.nonce == nonce else { throw .nonceMismatch }
        return GoogleJWTClaims(
            subject: payload.sub, email: payload.email, emailVerified: payload.email_verified,
            name: payload.name, picture: payload.picture, issuer: payload.iss,
            audience: configuration.clientID, expiration: expiration, issuedAt: issuedAt,
            nonce: payload.nonce)
    }

    private struct Header: Decodable {
        let alg: String
        let kid: String?
        let crit: [String]?
    }

    private struct Payload: Decodable {
        let iss: String
        let sub: String
        let aud: Audience?
        let azp: String?
        let exp: Double
        let iat: Double
        let nonce: String?
        let email: String?
        let email_verified: Bool?
        let name: String?
        let picture: String?
    }

    /// The audience: a text, or a list of texts.
    private struct Audience: Decodable {
        let values: [String]

        init(from decoder: any Decoder) throws {
            let container = try decoder.singleValueContainer()
            if let one = try? container.decode(String.self) {
                values = [one]
            } else {
                values = try container.decode([String].self)
            }
        }
    }

    private func decoded<Value: Decodable>(_ part: String) -> Value? {
        bytes(part).flatMap { try? JSONDecoder().decode(Value.self, from: $0) }
    }
}

/// The bytes of base64url without padding, nil for any other text.
func bytes(_ text: String) -> Data? {
    guard !text.contains(where: { "+/=".contains($0) }) else { return nil }
    let text = text.replacing("-", with: "+").replacing("_", with: "/")
    return Data(base64Encoded: text + String(repeating: "=", count: (4 - text.count % 4) % 4))
}

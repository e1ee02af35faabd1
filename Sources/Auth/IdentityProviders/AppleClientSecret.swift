package import Bytes
internal import JOSE
internal import JSON
package import Time

/// Apple's client secret: a JWT signed with our Apple key, new for each call.
///
/// Apple allows a lifetime of up to six months. A long-lived secret in a configuration would expire
/// unnoticed, and could be stolen; this one is valid for five minutes.
package struct AppleClientSecret: Sendable {
    private let teamID: String
    private let key: SigningKey
    private let audience: String

    private static let lifetime = Span.minutes(5)
    private static let idBytesMax = 32

    /// - Parameters:
    ///   - privateKeyPEM: the `.p8` file from Apple: PKCS#8, P-256.
    ///   - audience: `https://appleid.apple.com`, or the issuer of a test provider.
    package init(
        teamID: String, keyID: String, privateKeyPEM: SecretBytes, audience: String
    ) throws(ProviderConfigurationFailure) {
        guard Self.isAppleID(teamID), Self.isAppleID(keyID),
            let key = try? SigningKey(pem: privateKeyPEM, kid: keyID), key.algorithm == .es256
        else { throw .invalidAppleKey }
        self.teamID = teamID
        self.key = key
        self.audience = audience
    }

    /// The secret of one client. Its `kid` is Apple's key ID, not a thumbprint, and it has no
    /// `typ`: Apple's documentation of the header has only `alg` and `kid`.
    package func mint(clientID: String, now: Instant) throws(TokenEndpointFailure) -> String {
        let claims: JSONObject = [
            "iss": .string(teamID), "iat": .number(now.seconds),
            "exp": .number((now + Self.lifetime).seconds), "aud": .string(audience),
            "sub": .string(clientID),
        ]
        guard let token = try? JWT.sign(claims, with: key, type: nil, includesKeyID: true) else {
            throw .signingFailed
        }
        return token
    }

    private static func isAppleID(_ text: String) -> Bool {
        (1...idBytesMax).contains(text.utf8.count)
            && text.utf8.allSatisfy {
                ($0 >= 0x30 && $0 <= 0x39) || ($0 >= 0x41 && $0 <= 0x5A)
                    || ($0 >= 0x61 && $0 <= 0x7A)
            }
    }
}

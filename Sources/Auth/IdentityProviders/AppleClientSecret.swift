package import Bytes
package import Time
internal import JOSE
internal import JSON

/// Apple's client secret: a JWT that we sign with our Apple key, anew for each call.
///
/// Apple accepts a lifetime of up to six months. A long-lived secret in a configuration expires
/// unnoticed and is worth stealing; this one lives for five minutes.
package struct AppleClientSecret: Sendable {
    private let teamID: String
    private let key: SigningKey
    private let audience: String

    private static let lifetime = Span.minutes(5)
    private static let idBytesMax = 32

    /// - Parameters:
    ///   - privateKeyPEM: the `.p8` file that Apple hands out once: PKCS#8, P-256.
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

    /// The secret of one client. Its `kid` is Apple's name for the key and no thumbprint, and it
    /// has no `typ`: Apple's own description of the header names `alg` and `kid` only.
    package func mint(clientID: String, now: Instant) throws(AppleTokenFailure) -> String {
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

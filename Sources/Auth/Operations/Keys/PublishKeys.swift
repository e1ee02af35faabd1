package import AuthDomain
package import JSON
internal import JOSE
internal import Time

/// The public half of our keys, and the discovery document that leads to it.
package struct PublishKeys: Sendable {
    private let ground: Ground
    private let ring: KeyRing
    private let issuer: String

    package init(_ ground: Ground, ring: KeyRing, issuer: String) {
        self.ground = ground
        self.ring = ring
        self.issuer = issuer
    }

    /// RFC 7517. Secrets have no public half: a contract with HS256 publishes an empty set.
    package func keySet() throws(Problem) -> JSON {
        let now = ground.clock.now()
        let keys = try ring.publishedKeys(at: now).compactMap(\.publicJWK)
        return ["keys": .array(keys.map { .object($0) })]
    }

    /// OpenID Connect Discovery 1.0, as far as it is true of us: STS and API gateways read
    /// `issuer` and `jwks_uri`.
    package func discovery() -> JSON {
        let base = issuer.utf8.last == UInt8(ascii: "/") ? String(issuer.dropLast()) : issuer
        return [
            "issuer": .string(issuer),
            "jwks_uri": .string("\(base)/.well-known/jwks.json"),
            "response_types_supported": ["id_token"],
            "subject_types_supported": ["public"],
            "id_token_signing_alg_values_supported": [
                .string(ground.policy.accessToken.algorithm.name)
            ],
            "claims_supported": ["iss", "aud", "sub", "iat", "exp", "jti", "sid"],
        ]
    }
}

extension AccessTokenForm.Algorithm {
    /// As RFC 7518 and RFC 8037 spell it.
    package var name: String {
        switch self {
        case .rs256: "RS256"
        case .es256: "ES256"
        case .edDSA: "EdDSA"
        case .hs256: "HS256"
        }
    }
}

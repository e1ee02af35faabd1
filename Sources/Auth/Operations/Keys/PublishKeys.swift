package import AuthDomain
package import JOSE
package import JSON
internal import Time

/// The public keys and the discovery document with their URL.
package struct PublishKeys: Sendable {
    let auth: AuthServices

    /// RFC 7517. Shared secrets are not published: a contract with HS256 has an empty set.
    package func keySet() throws(AuthError) -> JSON {
        let keys = try auth.publishedKeys().compactMap(\.publicJWK)
        return ["keys": .array(keys.map { .object($0) })]
    }

    /// OpenID Connect Discovery 1.0, reduced to what STS and API gateways read: `issuer` and
    /// `jwks_uri`.
    package func discovery() -> JSON {
        if let oauth = auth.oauthIfOn { return auth.metadata(of: oauth) }
        let issuer = auth.issuer
        let base = issuer.utf8.last == UInt8(ascii: "/") ? String(issuer.dropLast()) : issuer
        var document: JSONObject = [
            "issuer": .string(issuer),
            "jwks_uri": .string("\(base)/.well-known/jwks.json"),
            "response_types_supported": ["id_token"],
            "subject_types_supported": ["public"],
            "id_token_signing_alg_values_supported": [
                .string(Algorithm(auth.policy.accessTokens.algorithm).rawValue)
            ],
            "claims_supported": ["iss", "aud", "sub", "iat", "exp", "jti", "sid"],
        ]
        document["revocations_uri"] = auth.revocationsURL.map { .string($0) }
        if let proofs = auth.policy.proofs, proofs.mode != .off {
            // RFC 9449 section 5.1.
            document["dpop_signing_alg_values_supported"] =
                .array(Self.proofAlgorithms.map { .string($0) })
        }
        return .object(document)
    }

    package static let proofAlgorithms = DPoPProof.algorithms.map(\.rawValue)
}

extension AuthServices {
    /// The provider's metadata, with the URL of the revocation list, which does not depend on the
    /// provider.
    package func metadata(of oauth: OAuthServices) -> JSON {
        let document = oauth.metadata(proofs: policy.proofs)
        guard let url = revocationsURL, case .object(var members) = document else {
            return document
        }
        members["revocations_uri"] = .string(url)
        return .object(members)
    }

    /// The signing keys of access tokens, then the signing keys of ID tokens.
    var everySigningKey: [SigningKeys] { [signingKeys] + (oauthIfOn?.furtherKeys ?? []) }

    func publishedKeys() throws(AuthError) -> [VerificationKey] {
        var published: [VerificationKey] = []
        for keys in everySigningKey { published += try keys.publishedKeys(at: clock.now()) }
        return published
    }

    package var publishKeys: PublishKeys { PublishKeys(auth: self) }
}

extension AuthOperation {
    package static let keySet = AuthOperation(
        "keySet", servedBy: "keys", counting: [])
    package static let discovery = AuthOperation(
        "discovery", servedBy: "keys", counting: [])
}

extension Algorithm {
    package init(_ algorithm: AccessTokenPolicy.Algorithm) {
        switch algorithm {
        case .rs256: self = .rs256
        case .es256: self = .es256
        case .edDSA: self = .edDSA
        case .hs256: self = .hs256
        }
    }
}

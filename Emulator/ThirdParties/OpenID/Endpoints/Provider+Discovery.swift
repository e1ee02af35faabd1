internal import EmulatorBase
internal import HTTP
internal import JOSE
internal import JSON

extension Provider {
    /// OpenID Connect Discovery 1.0 section 3.
    func discovery() throws(OAuthError) -> OpenIDReply {
        if faults.take(.discovery500) != nil {
            throw OAuthError(.json(["error": "internal_failure"], status: 500))
        }
        let isWrong = faults.take(.discoveryWrongIssuer) != nil
        var document: JSONObject = [
            "issuer": .string(isWrong ? "https://issuer.invalid" : issuer)
        ]
        let places: [(String, OpenIDEndpoint)] = [
            ("authorization_endpoint", .authorize), ("token_endpoint", .token),
            ("userinfo_endpoint", .userInfo), ("revocation_endpoint", .revoke),
            ("jwks_uri", .keys),
        ]
        for (name, endpoint) in places { document[name] = url(endpoint).map { .string($0) } }
        for (name, values) in abilities { document[name] = .array(values.map { .string($0) }) }
        return .now(
            .json(
                .object(document),
                headers: [HTTPHeader("Cache-Control", "public, max-age=3600")]))
    }

    /// The metadata of Apple's and Google's own documents, as far as it is emulated.
    private var abilities: [(String, [String])] {
        let common = [
            ("response_modes_supported", ["query", "fragment", "form_post"]),
            ("id_token_signing_alg_values_supported", [definition.algorithm.rawValue]),
        ]
        switch kind {
        case .apple:
            return common + [
                ("response_types_supported", ["code"]),
                ("subject_types_supported", ["pairwise"]),
                ("scopes_supported", ["openid", "email", "name"]),
                ("token_endpoint_auth_methods_supported", ["client_secret_post"]),
                (
                    "claims_supported",
                    [
                        "aud", "email", "email_verified", "exp", "iat", "is_private_email", "iss",
                        "nonce", "nonce_supported", "real_user_status", "sub", "transfer_sub",
                    ]
                ),
            ]
        case .google, .oidc:
            return common + [
                ("response_types_supported", ["code", "id_token", "code id_token"]),
                ("subject_types_supported", ["public"]),
                (
                    "scopes_supported",
                    ["openid", "email", "profile"] + (kind == .oidc ? ["offline_access"] : [])
                ),
                (
                    "token_endpoint_auth_methods_supported",
                    ["client_secret_post", "client_secret_basic"] + (kind == .oidc ? ["none"] : [])
                ),
                (
                    "claims_supported",
                    [
                        "aud", "email", "email_verified", "exp", "family_name", "given_name", "iat",
                        "iss", "name", "picture", "sub",
                    ]
                ),
                ("code_challenge_methods_supported", ["S256"]),
                ("grant_types_supported", ["authorization_code", "refresh_token"]),
            ]
        }
    }
}

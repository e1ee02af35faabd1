package import AuthDomain
internal import Bytes
package import JOSE
package import JSON

extension OAuthServices {
    /// The metadata of RFC 8414 section 2 and OpenID Connect Discovery 1.0 section 3. It lists only
    /// features that this deployment supports.
    package func metadata(proofs: ProofPolicy?) -> JSON {
        let base = issuer.utf8.last == UInt8(ascii: "/") ? String(issuer.dropLast()) : issuer
        let methods = Client.Authentication.allCases.map(\.rawValue)
        let assertions = ["ES256", "RS256", "EdDSA"]
        var document: JSONObject = [
            "issuer": .string(issuer),
            "authorization_endpoint": .string(endpoint(.authorize)),
            "pushed_authorization_request_endpoint": .string(endpoint(.par)),
            "require_pushed_authorization_requests": false,
            "token_endpoint": .string(endpoint(.token)),
            "userinfo_endpoint": .string(endpoint(.userinfo)),
            "revocation_endpoint": .string(endpoint(.revoke)),
            "introspection_endpoint": .string(endpoint(.introspect)),
            "device_authorization_endpoint": .string(endpoint(.deviceAuthorization)),
            "end_session_endpoint": .string(endpoint(.endSession)),
            "backchannel_logout_supported": true, "backchannel_logout_session_supported": true,
            "jwks_uri": .string("\(base)/.well-known/jwks.json"),
            "response_types_supported": ["code"], "response_modes_supported": ["query"],
            "grant_types_supported": Self.list(grantTypes.map(\.rawValue)),
            "code_challenge_methods_supported": ["S256"],
            "token_endpoint_auth_methods_supported": Self.list(methods),
            "token_endpoint_auth_signing_alg_values_supported": Self.list(assertions),
            "revocation_endpoint_auth_methods_supported": Self.list(methods),
            "revocation_endpoint_auth_signing_alg_values_supported": Self.list(assertions),
            "introspection_endpoint_auth_methods_supported":
                Self.list(methods.filter { $0 != Client.Authentication.none.rawValue }),
            "introspection_endpoint_auth_signing_alg_values_supported": Self.list(assertions),
            "scopes_supported": Self.list(everyScope),
            "subject_types_supported": ["public"],
            "id_token_signing_alg_values_supported": Self.list(idTokenAlgorithms.map(\.rawValue)),
            "claims_supported": [
                "iss", "sub", "aud", "exp", "iat", "nonce", "auth_time", "acr", "amr", "at_hash",
                "sid", "name", "email", "email_verified",
            ],
            "acr_values_supported": Self.list(
                ProofStrength.allCases.filter { $0 > .nothing }.map(\.name)),
            "prompt_values_supported": Self.list(
                AuthorizationRequest.Prompt.allCases.map(\.rawValue)),
            "ui_locales_supported": ["en", "de"],
            "authorization_response_iss_parameter_supported": true,
            "claims_parameter_supported": true, "request_parameter_supported": false,
            "request_uri_parameter_supported": false,
        ]
        if documents != nil { document["client_id_metadata_document_supported"] = true }
        if registration != .off {
            document["registration_endpoint"] = .string(endpoint(.register))
        }
        if !resources.isEmpty {
            document["protected_resources"] = Self.list(resources.map(\.uri))
        }
        if let proofs, proofs.mode != .off {
            document["dpop_signing_alg_values_supported"] = Self.list(PublishKeys.proofAlgorithms)
        }
        return .object(document)
    }

    /// Without resources, no client can have a token for itself.
    private var grantTypes: [Client.GrantType] {
        Client.GrantType.allCases.filter { !$0.needsTrust || !resources.isEmpty }
    }

    /// The algorithms for ID tokens, the default first.
    package var idTokenAlgorithms: [Algorithm] {
        idTokenKeys.keys.sorted {
            ($0 == .rs256 ? 0 : 1, $0.rawValue) < ($1 == .rs256 ? 0 : 1, $1.rawValue)
        }
    }

    /// Every scope that a client can ask for.
    package var everyScope: [String] {
        var words = StandardScope.allCases.map(\.rawValue)
        for word in resources.flatMap(\.scopes).map(\.word) where !words.contains(word) {
            words.append(word)
        }
        return words
    }

    /// The known scopes in a registration; all of them if it names none.
    func scope(named text: String?) -> String {
        let all = everyScope
        let named = text.map { $0.split(separator: " ").map(String.init) } ?? all
        return named.filter(all.contains).joined(separator: " ")
    }

    private static func list(_ texts: [String]) -> JSON { .array(texts.map { .string($0) }) }
}

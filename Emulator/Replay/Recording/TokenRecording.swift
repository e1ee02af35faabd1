internal import Bytes
internal import Cryptography
internal import JSON
internal import Time

/// Creates the recipe of a recorded ID token: its claims, without its signature.
enum TokenRecording {
    /// Claims that the recipe's provider adds itself.
    private static let usual = [
        "iss", "aud", "azp", "exp", "iat", "auth_time", "nbf", "jti", "at_hash", "c_hash",
        "nonce_supported",
    ]
    /// Claims that identify a person.
    static let personal: [(name: String, kind: Alias.Kind)] = [
        ("sub", .subject), ("email", .address), ("name", .name), ("given_name", .name),
        ("family_name", .name),
    ]

    /// Whether a token looks like one of an identity provider.
    static func isIDToken(_ token: TokenParts) -> Bool {
        token.claims["iss"]?.stringValue != nil && token.claims["sub"] != nil
    }

    static func isExpired(_ token: TokenParts, at now: Instant) -> Bool {
        token.claims["exp"]?.int64Value.map { $0 <= now.seconds } ?? false
    }

    static func recipe(_ token: TokenParts, _ state: inout RecorderState) -> JSON {
        let provider = provider(token.claims["iss"]?.stringValue ?? "")
        var claims = JSONObject()
        for (name, value) in token.claims.members
        where !usual.contains(where: { $0.isSame(as: name) }) {
            guard let text = value.stringValue else {
                claims[name] = value
                continue
            }
            if name.isSame(as: "nonce") {
                claims[name] = .string(nonce(text, &state))
            } else if let claim = personal.first(where: { $0.name.isSame(as: name) }) {
                claims[name] = .string(state.alias(claim.kind, text))
            } else {
                claims[name] = value
            }
        }
        // Claims that the provider adds by default and this token lacks.
        for name in usualClaims(provider) where token.claims[name] == nil { claims[name] = .null }
        return [
            "provider": .string(provider.rawValue),
            "claims": .object(claims),
        ]
    }

    /// The placeholder for a claim's nonce, which may also be the hash of the app's nonce.
    private static func nonce(_ claim: String, _ state: inout RecorderState) -> String {
        for value in state.values {
            if claim.isSame(as: value.text) { return "<\(value.name)>" }
            if claim.isSame(as: Hex.encode(SHA256.hash(utf8: value.text))) {
                return "sha256:<\(value.name)>"
            }
        }
        return state.alias(.subject, claim)
    }

    private static func provider(_ issuer: String) -> IDTokenDescription.Provider {
        if issuer.contains("apple") { return .apple }
        return issuer.contains("google") ? .google : .acme
    }

    private static func usualClaims(_ provider: IDTokenDescription.Provider) -> [String] {
        switch provider {
        case .apple: ["email", "email_verified", "is_private_email"]
        case .google: ["email", "email_verified", "name", "given_name", "family_name"]
        case .acme: ["email", "email_verified"]
        }
    }
}

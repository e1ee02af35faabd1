/// Builds ID tokens, valid or not.
struct IDToken {
    var header: JSONObject
    var claims: JSONObject
    var key: TestKey

    static func apple(key: TestKey = .rsa) -> IDToken {
        IDToken(
            header: ["kid": .string(key.kid), "alg": .string(key.algorithm)],
            claims: [
                "iss": "https://appleid.apple.com", "aud": "com.example.app",
                "exp": .number(ProviderFixture.noon.seconds + 86400),
                "iat": .number(ProviderFixture.noon.seconds),
                "sub": "001234.0123456789abcdef0123456789abcdef.5678",
                "email": "x@privaterelay.appleid.com", "email_verified": "true",
                "is_private_email": "true", "auth_time": .number(ProviderFixture.noon.seconds),
                "nonce_supported": true, "real_user_status": 2, "c_hash": "c",
            ], key: key)
    }

    static func google(key: TestKey = .rsa) -> IDToken {
        IDToken(
            header: ["kid": .string(key.kid), "alg": .string(key.algorithm), "typ": "JWT"],
            claims: [
                "iss": "https://accounts.google.com", "azp": "app.apps.googleusercontent.com",
                "aud": "app.apps.googleusercontent.com", "sub": "110169484474386276334",
                "email": "ada@example.com", "email_verified": true, "name": "Ada Lovelace",
                "given_name": "Ada", "family_name": "Lovelace", "hd": "example.com",
                "iat": .number(ProviderFixture.noon.seconds),
                "exp": .number(ProviderFixture.noon.seconds + 3600),
            ], key: key)
    }

    static func oidc(key: TestKey = .rsa) -> IDToken {
        IDToken(
            header: ["kid": .string(key.kid), "alg": .string(key.algorithm)],
            claims: [
                "iss": "https://id.example.com", "aud": "acme-client", "sub": "u-1",
                "iat": .number(ProviderFixture.noon.seconds),
                "exp": .number(ProviderFixture.noon.seconds + 300),
            ], key: key)
    }

    /// With a claim changed or removed.
    func with(_ claim: String, _ value: JSON?) -> IDToken {
        var token = self
        token.claims[claim] = value
        return token
    }

    /// With a claim set to seconds relative to noon.
    func with(_ claim: String, secondsFromNoon: Int64) -> IDToken {
        with(claim, .number(ProviderFixture.noon.seconds + secondsFromNoon))
    }

    func withHeader(_ name: String, _ value: JSON?) -> IDToken {
        var token = self
        token.header[name] = value
        return token
    }

    var text: String {
        key.token(header: header.serialized, claims: claims.serialized)
    }
}

extension String {
    /// The parts of a compact JWS.
    var parts: [String] { split(separator: ".", omittingEmptySubsequences: false).map(String.init) }
}

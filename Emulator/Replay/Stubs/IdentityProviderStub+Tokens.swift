internal import Bytes
internal import Cryptography
internal import JOSE
internal import JSON
internal import Time

extension IdentityProviderStub {
    /// Makes the token that a fixture describes.
    func token(
        _ recipe: IDTokenDescription, claims changes: [(name: String, value: JSON)], at now: Instant
    ) throws -> String {
        var claims = usualClaims(recipe.provider, at: now)
        for (name, value) in changes { claims[name] = value.isNull ? nil : value }
        switch recipe.fault {
        case .expired:
            claims["iat"] = .number(now.seconds - 480)
            claims["exp"] = .number(now.seconds - 120)
        case .tooOld: claims["iat"] = .number(now.seconds - 7200)
        case .issuedInFuture: claims["iat"] = .number(now.seconds + 600)
        case .notYetValid: claims["nbf"] = .number(now.seconds + 600)
        case .oversized: claims["padding"] = .string(String(repeating: "x", count: 40_000))
        default: break
        }
        return try sealed(claims, recipe.fault)
    }

    private func sealed(_ claims: JSONObject, _ fault: IDTokenDescription.Fault) throws
        -> String
    {
        let key = try self.key.value()
        var header: JSONObject = ["alg": "RS256", "kid": .string(key.kid), "typ": "JWT"]
        var payload = claims.serialized
        var signer = key
        switch fault {
        case .wrongKey: signer = try strangersKey.value()
        case .unknownKey:
            signer = try strangersKey.value()
            header["kid"] = .string(signer.kid)
        case .noKeyID: header["kid"] = nil
        case .ownKeyInHeader:
            signer = try strangersKey.value()
            header["jwk"] = signer.publicJWK.map { .object($0) }
        case .criticalHeader:
            header["crit"] = ["exp"]
            header["exp"] = .number(4_102_444_800)
        case .publicKeyAsSecret: header["alg"] = "HS256"
        case .algorithmNone: header["alg"] = "none"
        case .duplicateSubject:
            payload = Array(#"{"sub":"victim","#.utf8) + payload.dropFirst()
        default: break
        }
        let input = "\(Base64URL.encode(header.serialized)).\(Base64URL.encode(payload))"
        switch fault {
        case .algorithmNone: return input + "."
        case .publicKeyAsSecret:
            let secret = SecretBytes(key.publicJWK?.serialized ?? [])
            return "\(input).\(Base64URL.encode(HMAC.sha256(Array(input.utf8), key: secret)))"
        case .changedPayload:
            var changed = claims
            changed["sub"] = "somebody-else"
            let signature = Base64URL.encode(try signer.sign(Array(input.utf8)))
            return
                "\(Base64URL.encode(header.serialized)).\(Base64URL.encode(changed.serialized)).\(signature)"
        case .paddedSignature:
            return "\(input).\(Base64URL.encode(try signer.sign(Array(input.utf8))))=="
        default: return "\(input).\(Base64URL.encode(try signer.sign(Array(input.utf8))))"
        }
    }

    private func usualClaims(_ provider: IDTokenDescription.Provider, at now: Instant) -> JSONObject
    {
        // No two tokens are the same, whatever their claims are.
        let hash = Base64URL.encode(SHA256.hash(utf8: "\(nextSerial())").prefix(16))
        let issuer = "\(url)/\(provider.rawValue)"
        switch provider {
        case .apple:
            return [
                "iss": .string(issuer), "aud": .string(Self.appleClientID),
                "exp": .number(now.seconds + 86_400), "iat": .number(now.seconds),
                "sub": "001234.0123456789abcdef0123456789abcdef.5678",
                "email": "ada.lovelace@privaterelay.appleid.com", "email_verified": "true",
                "is_private_email": "true", "auth_time": .number(now.seconds),
                "nonce_supported": true, "c_hash": .string(hash),
            ]
        case .google:
            return [
                "iss": .string(issuer), "azp": .string(Self.googleClientID),
                "aud": .string(Self.googleClientID), "sub": "110169484474386276334",
                "email": "grace.hopper@example.com", "email_verified": true,
                "name": "Grace Hopper", "given_name": "Grace", "family_name": "Hopper",
                "at_hash": .string(hash), "iat": .number(now.seconds),
                "exp": .number(now.seconds + 3600),
            ]
        case .acme:
            return [
                "iss": .string(issuer), "aud": .string(Self.acmeClientID), "sub": "u-1",
                "email": "alan.turing@example.org", "email_verified": false,
                "at_hash": .string(hash), "iat": .number(now.seconds),
                "exp": .number(now.seconds + 300),
            ]
        }
    }
}

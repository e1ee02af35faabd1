internal import Bytes
internal import Cryptography
internal import EmulatorBase
internal import EmulatorThirdParties
internal import JSON
internal import Synchronization
internal import Time

extension ReplayIdentityProviders {
    /// Mints the token that a fixture describes.
    func token(
        _ description: IDTokenDescription, claims changes: [(name: String, value: JSON)],
        at now: Instant
    ) throws -> String {
        // Claims that the providers add and fixtures do not expect.
        var claims: JSONObject = [
            "hd": .null, "picture": .null, "jti": .null, "name": .null, "given_name": .null,
            "family_name": .null,
        ]
        for (name, value) in usualClaims(description.provider, at: now).members {
            claims[name] = value
        }
        for (name, value) in changes { claims[name] = value }
        switch description.fault {
        case .expired:
            claims["iat"] = .number(now.seconds - 480)
            claims["exp"] = .number(now.seconds - 120)
        case .tooOld: claims["iat"] = .number(now.seconds - 7200)
        case .issuedInFuture: claims["iat"] = .number(now.seconds + 600)
        case .notYetValid: claims["nbf"] = .number(now.seconds + 600)
        default: break
        }
        var request: JSONObject = ["claims": .object(claims)]
        if let fault = description.fault.tokenFault { request["fault"] = .string(fault) }
        // Makes all keys now, and not when a function asks for them: a function waits only for
        // seconds, and on a busy machine an RSA key may take longer.
        _ = service.keySet(issuer: "\(url)/\(description.provider.rawValue)")
        return try mint(request, from: description.provider)
    }

    private func mint(
        _ request: JSONObject, from provider: IDTokenDescription.Provider
    ) throws(FixtureFailure) -> String {
        let answer = Mutex<ServerResponse?>(nil)
        service.handle(
            ServerRequest(
                method: "POST", target: "\(IdentityService.prefix)/\(provider.rawValue)/mint",
                body: request.serialized)
        ) { response in answer.withLock { $0 = response } }
        let body = answer.withLock { $0?.body } ?? []
        let json = try? JSON.parse(body, limits: .event)
        guard let token = json?["idToken"]?.stringValue else {
            throw FixtureFailure(json?["message"]?.stringValue ?? "no token was minted")
        }
        return token
    }

    private func usualClaims(_ provider: IDTokenDescription.Provider, at now: Instant) -> JSONObject
    {
        // Makes each token unique, even if the claims are equal.
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

extension IDTokenDescription.Fault {
    /// The fault of the emulated provider; nil if the token's claims are enough to express the
    /// fault.
    fileprivate var tokenFault: String? {
        switch self {
        case .none, .expired, .tooOld, .issuedInFuture, .notYetValid: nil
        case .wrongKey: "wrong-key"
        case .unknownKey: "unknown-kid"
        case .noKeyID: "missing-kid"
        case .algorithmNone: "alg-none"
        case .publicKeyAsSecret: "hs256-with-public-key"
        case .ownKeyInHeader: "own-key-in-header"
        case .criticalHeader: "crit-header"
        case .changedPayload: "changed-payload"
        case .duplicateSubject: "duplicate-member"
        case .paddedSignature: "padded"
        case .oversized: "oversized"
        }
    }
}

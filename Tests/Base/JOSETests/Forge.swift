/// Keys, and tokens that the library itself would not create.
enum Forge {
    static let now = Instant(seconds: 1_700_000_000)
    static let issuer = "https://issuer.example"

    static let rsa = make(.rs256)
    static let p256 = make(.es256)
    static let ed25519 = make(.edDSA)
    static let secret = make(.hs256)
    static let all = [rsa, p256, ed25519, secret]

    private static func make(_ algorithm: Algorithm) -> SigningKey {
        guard let key = try? SigningKey.generate(algorithm, random: .seeded(17)) else {
            fatalError("no key")
        }
        return key
    }

    static func keys(_ key: SigningKey) throws -> KeySet { try KeySet([key.verificationKey]) }

    static let expectations = TokenExpectations(
        issuers: [issuer], audiences: ["app"], types: ["JWT"], now: now, leeway: .seconds(10))

    /// Valid claims with changes; nil removes one.
    static func claims(_ changes: [String: JSON?] = [:]) -> JSONObject {
        var claims: JSONObject = [
            "iss": .string(issuer), "aud": "app", "sub": "user",
            "iat": .number(now.seconds), "exp": .number(now.seconds + 600),
        ]
        for (name, value) in changes { claims[name] = value }
        return claims
    }

    /// A token with any header and payload, with a valid signature.
    static func token(
        header: String, payload: String? = nil, with key: SigningKey
    ) throws -> String {
        try token(
            headerBytes: Array(header.utf8),
            payloadBytes: payload.map { Array($0.utf8) } ?? claims().serialized, with: key)
    }

    static func token(
        headerBytes: [UInt8], payloadBytes: [UInt8], with key: SigningKey
    ) throws -> String {
        let input = "\(Base64URL.encode(headerBytes)).\(Base64URL.encode(payloadBytes))"
        return "\(input).\(Base64URL.encode(try key.sign(Array(input.utf8))))"
    }

    /// The header of the key's tokens, with additional members as text.
    static func header(_ key: SigningKey, adding members: String = "") -> String {
        """
        {"alg":"\(key.algorithm.rawValue)","kid":"\(key.kid)","typ":"JWT"\(members)}
        """
    }

    static func token(_ claims: JSONObject, with key: SigningKey = p256) throws -> String {
        try JWT.sign(claims, with: key, type: "JWT", includesKeyID: true)
    }

    /// The verifier's result: nil for acceptance.
    static func verdict(
        _ token: String, _ key: SigningKey = p256,
        _ expectations: TokenExpectations = expectations
    ) throws -> TokenFailure? {
        let keys = try keys(key)
        do throws(TokenFailure) {
            _ = try JWT.verify(token, keys: keys, expecting: expectations)
            return nil
        } catch {
            return error
        }
    }
}

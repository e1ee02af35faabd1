internal import Bytes
internal import Cryptography
internal import JOSE
internal import JSON
internal import Time

extension FuzzTarget {
    /// A verifier accepts only tokens that the key signed.
    ///
    /// The first byte of the input selects its kind: a token, edits of a signed token, or claims to
    /// sign.
    static let tokens = FuzzTarget("tokens") { (input) throws(BrokenProperty) in
        guard let choice = input.first else { return }
        let rest = Array(input.dropFirst())
        switch choice {
        case UInt8(ascii: "t"): try TokenCase.check(String(decoding: rest, as: UTF8.self))
        case UInt8(ascii: "e"): try TokenCase.checkEdits(rest)
        case UInt8(ascii: "c"): try TokenCase.checkClaims(rest)
        default: return
        }
    }

    /// A key set from outside: accepted keys have distinct names, and none is symmetric.
    static let keySets = FuzzTarget("key-sets", inputBytesMax: 16 << 10) {
        (input) throws(BrokenProperty) in
        guard let json = try? JSON.parse(input, limits: .keySet) else { return }
        guard let set = try? KeySet(jwks: json) else { return }
        try require((1...KeySet.keysMax).contains(set.keys.count), "the number of keys")
        let names = set.keys.compactMap(\.kid).map { Array($0.utf8) }
        try require(Set(names).count == names.count, "a key ID is used twice")
        for key in set.keys {
            try require(key.algorithm != .hs256, "a published key is symmetric")
            guard let jwk = key.publicJWK else { throw BrokenProperty("a key is not published") }
            let again = try? KeySet(jwks: ["keys": [.object(jwk)]])
            try require(again?.keys.first?.thumbprint == key.thumbprint, "a published key changes")
        }
    }
}

/// Tokens signed with fixed keys, so that runs are reproducible.
private struct TokenCase: Sendable {
    private static let now = Instant(seconds: 1_700_000_000)
    private static let issuer = "https://issuer.example"
    private static let audience = "audience"

    private let key: SigningKey
    private let signed: String

    private static let claims: JSONObject = [
        "iss": .string(issuer), "aud": .string(audience), "sub": "subject",
        "iat": .number(now.seconds), "exp": .number(now.seconds + 600),
    ]

    /// nil only if the cryptography does not work at all.
    private static let cases: [TokenCase] = [Algorithm.hs256, .es256, .edDSA].enumerated()
        .compactMap { index, algorithm in
            guard
                let key = try? SigningKey.generate(algorithm, random: .seeded(UInt64(index) + 1)),
                let token = try? JWT.sign(claims, with: key, type: "at+jwt", includesKeyID: true)
            else { return nil }
            return TokenCase(key: key, signed: token)
        }

    private static let expectations = TokenExpectations(
        issuers: [issuer], audiences: [audience], types: ["at+jwt"], now: now,
        leeway: .seconds(60), requires: ["sub"])

    static func check(_ token: String) throws(BrokenProperty) {
        try require(cases.count == 3, "the keys cannot be made")
        for test in cases { try test.check(token) }
    }

    private func check(_ token: String) throws(BrokenProperty) {
        guard let keys = try? KeySet([key.verificationKey]) else {
            throw BrokenProperty("a key set of one key is refused")
        }
        guard (try? JWT.verify(token, keys: keys, expecting: Self.expectations)) != nil else {
            try require(!token.isSame(as: signed), "a signed token is refused")
            return
        }
        try require(
            Self.signingInput(token) == Self.signingInput(signed),
            "a token is accepted that the key did not sign")
    }

    /// Everything before the last dot. The signature itself may vary: ECDSA has two for each
    /// message.
    private static func signingInput(_ token: String) -> [UInt8] {
        let bytes = Array(token.utf8)
        return Array(bytes[..<(bytes.lastIndex(of: UInt8(ascii: ".")) ?? 0)])
    }

    /// Edits of three bytes each: the position (two bytes) and the new byte.
    static func checkEdits(_ edits: [UInt8]) throws(BrokenProperty) {
        for test in cases {
            var bytes = Array(test.signed.utf8)
            for start in stride(from: 0, to: edits.count - 2, by: 3) where !bytes.isEmpty {
                let place = (Int(edits[start]) << 8 | Int(edits[start + 1])) % bytes.count
                switch edits[start + 2] {
                case 0: bytes.remove(at: place)
                case 0x80...: bytes.insert(edits[start + 2] & 0x7F, at: place)
                default: bytes[place] = edits[start + 2]
                }
            }
            try test.check(String(decoding: bytes, as: UTF8.self))
        }
    }

    /// Signed claims are accepted only if they name issuer, audience and subject, and are valid
    /// now.
    static func checkClaims(_ payload: [UInt8]) throws(BrokenProperty) {
        guard let test = cases.first, let keys = try? KeySet([test.key.verificationKey]) else {
            throw BrokenProperty("the keys cannot be made")
        }
        let header: JSONObject = ["kid": .string(test.key.kid), "typ": "at+jwt"]
        guard let token = try? JWS.sign(payload, header: header, with: test.key) else { return }
        let verified = try? JWS.verify(token, keys: keys)
        try require(verified?.payload == payload, "a signed payload is not returned")
        guard
            let accepted = try? JWT.verify(token, keys: keys, expecting: expectations)
        else { return }
        try require(accepted.issuer?.isSame(as: issuer) == true, "the issuer")
        try require(accepted.audiences.contains { $0.isSame(as: audience) }, "the audience")
        try require(accepted.claims["sub"] != nil, "the subject")
        guard let expiry = accepted.expiresAt else { throw BrokenProperty("no expiry") }
        try require(expiry + .seconds(60) > now, "an expired token is accepted")
        if let start = accepted.notBefore {
            try require(start <= now + .seconds(60), "a token is accepted before its time")
        }
    }
}

internal import Bytes
internal import Cryptography
internal import JOSE
internal import JSON
internal import Time

/// How a fault alters a token, and at which step of its creation.
enum TokenAlteration: Sendable {
    case claims(@Sendable (inout JSONObject, _ now: Instant) -> Void)
    case seal(@Sendable (inout UnsignedToken, IDTokenSigner) throws(OAuthError) -> Void)
    case text(@Sendable (_ token: inout String, _ claims: JSONObject) -> Void)

    fileprivate static func set(_ name: String, _ value: JSON) -> TokenAlteration {
        .claims { claims, _ in claims[name] = value }
    }

    fileprivate static func remove(_ names: String...) -> TokenAlteration {
        .claims { claims, _ in for name in names { claims[name] = nil } }
    }

    /// Sets claims to times relative to now.
    fileprivate static func times(_ times: (name: String, offset: Span)...) -> TokenAlteration {
        .claims { claims, now in
            for time in times { claims[time.name] = .number((now + time.offset).seconds) }
        }
    }

    fileprivate static func header(_ members: (String, JSON?)...) -> TokenAlteration {
        .seal { seal, _ in for (name, value) in members { seal.header[name] = value } }
    }
}

extension TokenFault {
    private static let unpublishedIssuer: JSON = "https://issuer.invalid"
    private static let unpublishedClient: JSON = "com.example.another-app"

    var alteration: TokenAlteration {
        switch self {
        case .unknownKeyID: Self.unpublishedKey(underOwnName: true)
        case .missingKeyID: .header(("kid", nil))
        case .wrongKey: Self.unpublishedKey(underOwnName: false)
        case .ownKeyInHeader: Self.unpublishedKeyInHeader
        case .previousKey: Self.previous
        case .algorithmNone: Self.unsigned(algorithm: "none")
        case .missingSignature: Self.unsigned(algorithm: nil)
        case .publicKeyAsSecret: Self.confusion
        case .foreignES256: Self.unpublishedES256
        case .changedPayload: .text(Self.changePayload)
        case .changedSignature: .text(Self.changeSignature)
        case .criticalHeader:
            .header(("crit", ["urn:example:unheard-of"]), ("urn:example:unheard-of", true))
        case .unencodedPayload: .header(("b64", false), ("crit", ["b64"]))
        case .wrongType: .header(("typ", "at+jwt"))
        case .padded: .text(Self.pad)
        case .oversized: .set("padding", .string(String(repeating: "x", count: 40_000)))
        case .duplicateMember:
            .seal { seal, _ in
                seal.payload = Array(#"{"sub":"victim","#.utf8) + seal.payload.dropFirst()
            }
        case .notJSON: .seal { seal, _ in seal.payload = Array("sub=victim".utf8) }
        case .fiveParts: .text { token, _ in token += ".AAAA.AAAA" }
        case .expired: .times(("iat", .minutes(-8)), ("exp", .minutes(-2)))
        case .notYetValid: .times(("nbf", .minutes(10)))
        case .issuedInFuture: .times(("iat", .minutes(10)))
        case .tooOld: .times(("iat", .days(-1)), ("exp", .days(6)))
        case .missingExpiry: .remove("exp")
        case .textualExpiry: .claims(Self.makeExpiryText)
        case .wrongIssuer: .set("iss", Self.unpublishedIssuer)
        case .wrongAudience: .set("aud", Self.unpublishedClient)
        case .wrongParty: .set("azp", Self.unpublishedClient)
        case .severalAudiences: .claims(Self.addAudience)
        case .missingAudience: .remove("aud")
        case .wrongNonce: .set("nonce", "not-the-nonce-that-was-asked-for")
        case .missingNonce: .remove("nonce")
        case .missingSubject: .remove("sub")
        case .missingEmail: .remove("email", "email_verified", "is_private_email", "hd")
        case .verifiedTrue: .set("email_verified", true)
        case .verifiedTrueText: .set("email_verified", "true")
        case .verifiedFalse: .set("email_verified", false)
        case .verifiedFalseText: .set("email_verified", "false")
        case .verifiedMissing: .remove("email_verified")
        }
    }

    private static func unpublishedKey(underOwnName: Bool) -> TokenAlteration {
        .seal { seal, signer throws(OAuthError) in
            seal.key = try signer.unpublishedKeys.key(seal.key.algorithm)
            if underOwnName { seal.header["kid"] = .string(seal.key.kid) }
        }
    }

    private static var unpublishedKeyInHeader: TokenAlteration {
        .seal { seal, signer throws(OAuthError) in
            seal.key = try signer.unpublishedKeys.key(seal.key.algorithm)
            seal.header["jwk"] = seal.key.publicJWK.map { .object($0) }
        }
    }

    private static var unpublishedES256: TokenAlteration {
        .seal { seal, signer throws(OAuthError) in
            seal.header["alg"] = "ES256"
            seal.key = try signer.unpublishedKeys.key(.es256)
        }
    }

    private static var previous: TokenAlteration {
        .seal { seal, signer throws(OAuthError) in
            seal.key = try signer.keys.previous()
            seal.header["kid"] = .string(seal.key.kid)
        }
    }

    private static func unsigned(algorithm: JSON?) -> TokenAlteration {
        .seal { seal, _ in
            if let algorithm { seal.header["alg"] = algorithm }
            seal.isUnsigned = true
        }
    }

    /// RFC 8725 section 2.1, algorithm confusion: an HMAC with the public key as the secret.
    private static var confusion: TokenAlteration {
        .seal { seal, _ in
            seal.header["alg"] = "HS256"
            seal.secret = SecretBytes(utf8: seal.key.publishedText)
        }
    }

    private static let makeExpiryText: @Sendable (inout JSONObject, Instant) -> Void = {
        claims, _ in claims["exp"] = .string(claims["exp"]?.numberValue?.text ?? "never")
    }

    private static let addAudience: @Sendable (inout JSONObject, Instant) -> Void = { claims, _ in
        let own = claims["aud"]?.arrayValue ?? [claims["aud"] ?? .null]
        claims["aud"] = .array([unpublishedClient] + own)
    }

    private static func parts(_ token: String) -> [String] {
        token.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
    }

    private static let changePayload: @Sendable (inout String, JSONObject) -> Void = {
        token, claims in
        var changed = claims
        changed["sub"] = "somebody-else"
        var parts = parts(token)
        parts[1] = Base64URL.encode(changed.serialized)
        token = parts.joined(separator: ".")
    }

    private static let changeSignature: @Sendable (inout String, JSONObject) -> Void = {
        token, _ in
        var parts = parts(token)
        var signature = Base64URL.decode(parts[2]) ?? []
        if signature.isEmpty { signature = [0] }
        signature[signature.count / 2] ^= 1
        parts[2] = Base64URL.encode(signature)
        token = parts.joined(separator: ".")
    }

    private static let pad: @Sendable (inout String, JSONObject) -> Void = { token, _ in
        token = parts(token).map { part in
            part + String(repeating: "=", count: (4 - part.utf8.count % 4) % 4)
        }.joined(separator: ".")
        // If no part needs padding, add invalid padding, so that the fault has an effect.
        if !token.utf8.contains(UInt8(ascii: "=")) { token += "==" }
    }
}

extension SigningKey {
    /// The public key as text.
    fileprivate var publishedText: String {
        let jwk = publicJWK ?? [:]
        func number(_ name: String) -> [UInt8] {
            jwk[name]?.stringValue.flatMap { Base64URL.decode($0) } ?? []
        }
        let pem: String?
        switch algorithm {
        case .rs256:
            pem = try? RSAPublicKey(modulus: number("n"), exponent: number("e")).pem()
        case .es256: pem = try? P256PublicKey(x: number("x"), y: number("y")).pem()
        case .edDSA, .hs256: pem = nil
        }
        return pem ?? String(decoding: jwk.serialized, as: UTF8.self)
    }
}

import Bytes
import Cryptography
import JOSE
import JSON
import Time

/// A key of a program, to which its tokens are bound (RFC 9449).
struct ProofKey: Sendable {
    let thumbprint: String
    private let key: SigningKey
    private let jwk: JSON

    /// The programs that may have a key, and a thief.
    private static let names = [
        "printer", "terminal", "companion", "agent", "vault", "thief",
    ]
    private static let all: [String: ProofKey] = Dictionary(
        uniqueKeysWithValues: names.enumerated().compactMap { index, name in
            (try? SigningKey.generate(.edDSA, random: .seeded(500 + UInt64(index))))
                .flatMap(ProofKey.init).map { (name, $0) }
        })

    static func named(_ name: String) -> ProofKey? { all[name] }

    private init?(_ key: SigningKey) {
        guard let jwk = key.publicJWK else { return nil }
        self.key = key
        self.jwk = .object(jwk)
        thumbprint = key.verificationKey.thumbprint
    }

    /// - Parameter token: the access token that is sent with the proof.
    func proof(
        _ method: String, _ url: String, for token: String? = nil, number: Int, at now: Instant
    ) -> String {
        var claims: JSONObject = [
            "jti": .string("proof-\(number)"), "htm": .string(method), "htu": .string(url),
            "iat": .number(JSONNumber(now.seconds)),
        ]
        claims["ath"] = token.map { .string(ShownProof.hash(of: $0)) }
        let header: JSONObject = ["typ": "dpop+jwt", "jwk": jwk]
        return (try? JWS.sign(claims.serialized, header: header, with: key)) ?? ""
    }

    fileprivate static func thumbprint(of jwk: JSON) -> String? {
        all.values.first { $0.jwk["x"] == jwk["x"] }?.thumbprint
    }
}

/// The DPoP proof in a request, as an observer reads it.
struct ShownProof {
    let text: String
    /// The thumbprint of the key that has signed the proof.
    let thumbprint: String
    private let method: String
    private let url: String
    private let issuedAt: Int64
    private let tokenHash: String?

    init?(_ text: String?) {
        let parts = (text ?? "").split(separator: ".").prefix(2).map { part in
            Base64URL.decode(part).flatMap { try? JSON.parse($0, limits: .event) }
        }
        guard let text, parts.count == 2, let jwk = parts[0]?["jwk"],
            let thumbprint = ProofKey.thumbprint(of: jwk), let claims = parts[1]
        else { return nil }
        self.text = text
        self.thumbprint = thumbprint
        method = claims["htm"]?.stringValue ?? ""
        url = claims["htu"]?.stringValue ?? ""
        issuedAt = claims["iat"]?.int64Value ?? 0
        tokenHash = claims["ath"]?.stringValue
    }

    static func hash(of token: String) -> String {
        Base64URL.encode(SHA256.hash(Array(token.utf8)))
    }

    /// Whether the proof was made for this request and its access token, if it has one.
    func isFor(_ request: (method: String, url: String), token: String?) -> Bool {
        method == request.method && url == request.url
            && (token.map { Self.hash(of: $0) == tokenHash } ?? true)
    }

    /// - Parameter leeway: the possible difference between the function's time and the observer's.
    func isFresh(at now: Instant, _ ageMax: Span, leeway: Span) -> Bool {
        now < Instant(seconds: issuedAt) + ageMax + leeway
    }
}

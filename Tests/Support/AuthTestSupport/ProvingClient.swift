import AuthDomain
package import AuthOperations
import Bytes
import Cryptography
package import JOSE
package import JSON
import Time

/// A client that proves possession of its key (RFC 9449).
package struct ProvingClient {
    package static let url = "https://auth.example.com/auth/any"

    package let key: SigningKey
    private let kit: AuthKit

    package init(_ kit: AuthKit, seed: UInt64 = 1) throws {
        self.kit = kit
        key = try SigningKey.generate(.es256, random: .seeded(seed))
    }

    package var thumbprint: String { key.verificationKey.thumbprint }

    /// A new proof, with the given changes.
    package func proof(
        for accessToken: String? = nil, _ change: (inout JSONObject) -> Void = { _ in }
    ) throws -> String {
        var claims: JSONObject = [
            "jti": .string(Base64URL.encode(kit.auth.random.bytes(12))), "htm": "POST",
            "htu": .string(Self.url), "iat": .number(JSONNumber(kit.clock.now.seconds)),
        ]
        if let accessToken {
            claims["ath"] = .string(Base64URL.encode(SHA256.hash(utf8: accessToken)))
        }
        change(&claims)
        let jwk = key.verificationKey.publicJWK.map { JSON.object($0) } ?? .null
        return try JWS.sign(claims.serialized, header: ["typ": "dpop+jwt", "jwk": jwk], with: key)
    }

    /// The caller of a request with a proof, as the router makes it.
    package func caller(bearer: BearerCredential = .none, _ proof: String? = nil) throws -> Caller {
        var token: String?
        if case .bound(let text) = bearer { token = text }
        return try kit.auth.proving(
            Caller(bearer: bearer), try proof ?? self.proof(for: token), method: "POST",
            urls: [ProofURL(parsing: Self.url)])
    }

    package func caller(_ tokens: SessionTokens) throws -> Caller {
        try caller(bearer: .bound(tokens.access.reveal()))
    }

    package func session(of subject: String = "001") throws -> SessionTokens {
        try kit.session(of: subject, try caller())
    }
}

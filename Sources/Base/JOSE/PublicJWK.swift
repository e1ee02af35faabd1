internal import Bytes
internal import Cryptography
package import JSON

extension VerificationKey {
    /// The key as a public JWK; nil for a symmetric key, which is never published.
    package var publicJWK: JSONObject? {
        guard algorithm != .hs256 else { return nil }
        var jwk = JSONObject(requiredMembers.map { ($0.name, .string($0.value)) })
        if let kid { jwk["kid"] = .string(kid) }
        jwk["alg"] = .string(algorithm.rawValue)
        jwk["use"] = "sig"
        return jwk
    }

    /// The JWK thumbprint with SHA-256 (RFC 7638).
    ///
    /// For a symmetric key it is a hash of the secret (RFC 7638 section 7). It helps brute force no
    /// more than any token signed with the secret does.
    package var thumbprint: String {
        // RFC 7638 section 3.3: the required members, ordered by name, without white space. All
        // values are base64url or fixed names, so none needs escaping.
        let members = requiredMembers.sorted { $0.name < $1.name }
        let text = members.map { "\"\($0.name)\":\"\($0.value)\"" }.joined(separator: ",")
        return Base64URL.encode(SHA256.hash(utf8: "{\(text)}"))
    }

    /// RFC 7638 section 3.2, and RFC 8037 section 2 for Ed25519.
    private var requiredMembers: [(name: String, value: String)] {
        switch material {
        case .rsa(let key):
            [
                ("kty", "RSA"), ("n", Base64URL.encode(key.modulus)),
                ("e", Base64URL.encode(key.exponent)),
            ]
        case .p256(let key):
            [
                ("kty", "EC"), ("crv", "P-256"), ("x", Base64URL.encode(key.x)),
                ("y", Base64URL.encode(key.y)),
            ]
        case .ed25519(let key):
            [("kty", "OKP"), ("crv", "Ed25519"), ("x", Base64URL.encode(key.bytes))]
        case .secret(let secret):
            [("kty", "oct"), ("k", Base64URL.encode(secret.reveal()))]
        }
    }
}

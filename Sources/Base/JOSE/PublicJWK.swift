internal import Bytes
internal import Cryptography
package import JSON

extension VerificationKey {
    /// The key's JWK for publication; nil for a secret, which has nothing to publish.
    package var publicJWK: JSONObject? {
        guard algorithm != .hs256 else { return nil }
        var jwk = JSONObject(requiredMembers.map { ($0.name, .string($0.value)) })
        if let kid { jwk["kid"] = .string(kid) }
        jwk["alg"] = .string(algorithm.rawValue)
        jwk["use"] = "sig"
        return jwk
    }

    /// The key's thumbprint with SHA-256 (RFC 7638): a name that everybody computes alike.
    ///
    /// That of a secret is a hash of it (RFC 7638 section 7). It tells a guesser nothing that any
    /// token signed with the secret does not tell, too.
    package var thumbprint: String {
        // Section 3.3: the required members in order of their names, without white space. All
        // values are base64url or names of our own: nothing in them needs escaping.
        let members = requiredMembers.sorted { $0.name < $1.name }
        let text = members.map { "\"\($0.name)\":\"\($0.value)\"" }.joined(separator: ",")
        return Base64URL.encode(SHA256.hash(utf8: "{\(text)}"))
    }

    /// Section 3.2 of RFC 7638, and RFC 8037 section 2 for Ed25519.
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

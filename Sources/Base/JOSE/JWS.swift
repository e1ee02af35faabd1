internal import Bytes
package import Cryptography
package import JSON

/// Signed bytes (RFC 7515), in compact form only.
package enum JWS {
    /// What a valid signature vouches for.
    package struct Verified: Sendable {
        package let header: JSONObject
        package let payload: [UInt8]
        /// SHA-256 of what was signed: the token's identity.
        ///
        /// The signature is left out, because it can be changed without the key: `r || s` and
        /// `r || n - s` verify alike.
        package let fingerprint: [UInt8]
    }

    package static func verify(
        _ token: String, keys: KeySet
    ) throws(TokenFailure) -> Verified {
        // 1. Form. Nothing of the token is believed yet; its header only names a key of ours.
        let token = try CompactToken(parsing: token)
        // 2. The key, by its exact name.
        let candidates = try keys.candidates(token.kid)
        // 3. The algorithm is the key's. The header's must be the same, to the byte.
        let matching = candidates.filter { $0.algorithm.rawValue.isSame(as: token.algorithmName) }
        guard !matching.isEmpty else { throw .algorithmMismatch }
        // 4. The signature.
        let signature = try token.signature()
        guard matching.contains(where: { $0.isValid(signature, for: token.signingInput) }) else {
            throw .badSignature
        }
        // 5. Only now the content.
        return Verified(
            header: token.header, payload: try token.payload(),
            fingerprint: SHA256.hash(token.signingInput))
    }

    /// Signs any bytes. `header` may carry what the caller needs, `typ` for example; `alg` is the
    /// key's, and comes first.
    package static func sign(
        _ payload: [UInt8], header: JSONObject, with key: SigningKey
    ) throws(CryptoFailure) -> String {
        var complete: JSONObject = ["alg": .string(key.algorithm.rawValue)]
        for (name, value) in header.members where !name.isSame(as: "alg") {
            complete[name] = value
        }
        let input = "\(Base64URL.encode(complete.serialized)).\(Base64URL.encode(payload))"
        let signature = try key.sign(Array(input.utf8))
        let token = "\(input).\(Base64URL.encode(signature))"
        guard token.utf8.count <= CompactToken.bytesMax else { throw .limitExceeded }
        return token
    }
}

internal import Bytes
package import Cryptography
package import JSON

/// JSON Web Signature (RFC 7515), compact serialization only.
package enum JWS {
    /// The content of a token with a valid signature.
    package struct Verified: Sendable {
        package let header: JSONObject
        package let payload: [UInt8]
        /// SHA-256 of the signing input, which identifies the token.
        ///
        /// The signature is not included, because it can be changed without the key: `r || s` and
        /// `r || n - s` are both valid.
        package let fingerprint: [UInt8]
    }

    package static func verify(
        _ token: String, keys: KeySet
    ) throws(TokenFailure) -> Verified {
        // 1. Parse. The token is untrusted; its header only names a key.
        try verify(try CompactToken(parsing: token), keys: keys)
    }

    package static func verify(
        _ token: CompactToken, keys: KeySet
    ) throws(TokenFailure) -> Verified {
        // 2. Find the key by its exact ID.
        try verify(token, candidates: try keys.candidates(token.kid))
    }

    static func verify(
        _ token: CompactToken, candidates: [VerificationKey]
    ) throws(TokenFailure) -> Verified {
        // 3. The key determines the algorithm. The header's `alg` must equal it, byte for byte.
        let matching = candidates.filter { $0.algorithm.rawValue.isSame(as: token.algorithmName) }
        guard !matching.isEmpty else { throw .algorithmMismatch }
        // 4. Verify the signature.
        let signature = try token.signature()
        guard matching.contains(where: { $0.isValid(signature, for: token.signingInput) }) else {
            throw .badSignature
        }
        // 5. Only now decode the payload.
        return Verified(
            header: token.header, payload: try token.payload(),
            fingerprint: SHA256.hash(token.signingInput))
    }

    /// Signs any bytes. `header` may add members such as `typ`; `alg` is the key's and comes first.
    package static func sign(
        _ payload: [UInt8], header: JSONObject, with key: SigningKey,
        bytesMax: Int = CompactToken.bytesMax
    ) throws(CryptoFailure) -> String {
        var complete: JSONObject = ["alg": .string(key.algorithm.rawValue)]
        for (name, value) in header.members where !name.isSame(as: "alg") {
            complete[name] = value
        }
        let input = "\(Base64URL.encode(complete.serialized)).\(Base64URL.encode(payload))"
        let signature = try key.sign(Array(input.utf8))
        let token = "\(input).\(Base64URL.encode(signature))"
        guard token.utf8.count <= bytesMax else { throw .limitExceeded }
        return token
    }
}

package import Bytes
internal import Cryptography
package import JSON

/// A key that verifies tokens, with its one algorithm.
///
/// The numbers are validated and loaded into OpenSSL once, here, and not for each token.
package struct VerificationKey: Sendable {
    package let kid: String?
    package let algorithm: Algorithm
    let material: Material
    /// Set for keys whose tokens are presented many times.
    private let verified: VerifiedSignatures?

    enum Material: Sendable {
        case rsa(RSAPublicKey)
        case p256(P256PublicKey)
        case ed25519(Ed25519PublicKey)
        case secret(SecretBytes)
    }

    init(
        kid: String?, algorithm: Algorithm, material: Material,
        verified: VerifiedSignatures? = nil
    ) {
        self.kid = kid
        self.algorithm = algorithm
        self.material = material
        self.verified = verified
    }

    /// Reads a JWK: a public key, or an `oct` secret.
    package init(jwk: JSONObject) throws(KeyFailure) {
        let members = JWKMembers(object: jwk)
        let algorithm = try members.algorithm()
        try members.checkUse(.verify)
        self.init(
            kid: try members.keyID(), algorithm: algorithm,
            material: try Self.material(members, algorithm))
    }

    /// An HS256 secret. It must be at least as long as the hash (RFC 7518 section 3.2).
    package static func secret(
        _ secret: SecretBytes, kid: String?
    ) throws(KeyFailure) -> VerificationKey {
        guard JWKMembers.secretBytes.contains(secret.count) else { throw .unusable }
        return VerificationKey(kid: kid, algorithm: .hs256, material: .secret(secret))
    }

    /// The same key for tokens without `kid`.
    package var nameless: VerificationKey {
        VerificationKey(kid: nil, algorithm: algorithm, material: material, verified: verified)
    }

    /// The same key, which remembers the signatures that it has verified.
    package var remembering: VerificationKey {
        VerificationKey(
            kid: kid, algorithm: algorithm, material: material, verified: VerifiedSignatures())
    }

    private static func material(
        _ members: JWKMembers, _ algorithm: Algorithm
    ) throws(KeyFailure) -> Material {
        guard algorithm == .hs256 || !members.has("d") else { throw .privateKey }
        switch algorithm {
        case .rs256: return .rsa(try members.rsaPublicKey())
        case .es256: return .p256(try members.p256PublicKey())
        case .edDSA: return .ed25519(try members.ed25519PublicKey())
        case .hs256:
            let secret = try members.secret("k")
            guard JWKMembers.secretBytes.contains(secret.count) else { throw .unusable }
            return .secret(secret)
        }
    }

    package func isValid(_ signature: [UInt8], for message: [UInt8]) -> Bool {
        guard let verified else { return verifies(signature, for: message) }
        let digest = VerifiedSignatures.Digest(signature, message)
        if verified.contains(digest) { return true }
        guard verifies(signature, for: message) else { return false }
        verified.insert(digest)
        return true
    }

    private func verifies(_ signature: [UInt8], for message: [UInt8]) -> Bool {
        switch material {
        case .rsa(let key): key.isValid(signature, for: message, padding: .pkcs1)
        case .p256(let key): key.isValid(signature, for: message)
        case .ed25519(let key): key.isValid(signature, for: message)
        case .secret(let key): HMAC.isValid(signature, for: message, key: key)
        }
    }
}

extension JWKMembers {
    func rsaPublicKey() throws(KeyFailure) -> RSAPublicKey {
        let (modulus, exponent) = (try bytes("n"), try bytes("e"))
        return try orUnusable { () throws(CryptoFailure) in
            try RSAPublicKey(modulus: modulus, exponent: exponent)
        }
    }

    func p256PublicKey() throws(KeyFailure) -> P256PublicKey {
        let count = P256PublicKey.coordinateByteCount
        let (x, y) = (try bytes("x", count: count), try bytes("y", count: count))
        return try orUnusable { () throws(CryptoFailure) in try P256PublicKey(x: x, y: y) }
    }

    func ed25519PublicKey() throws(KeyFailure) -> Ed25519PublicKey {
        let bytes = try bytes("x", count: Ed25519PublicKey.byteCount)
        return try orUnusable { () throws(CryptoFailure) in try Ed25519PublicKey(bytes: bytes) }
    }
}

/// Maps every failure of `Cryptography` to construct a key to `.unusable`.
func orUnusable<Key>(_ make: () throws(CryptoFailure) -> Key) throws(KeyFailure) -> Key {
    do throws(CryptoFailure) {
        return try make()
    } catch {
        throw .unusable
    }
}

package import Bytes
package import Cryptography
package import JSON

/// A key that signs tokens, with its one algorithm. Its `kid` is its RFC 7638 thumbprint unless
/// another is given.
package struct SigningKey: Sendable {
    package let kid: String
    package let algorithm: Algorithm
    /// The key that verifies: the same secret for HS256.
    package let verificationKey: VerificationKey
    let material: Material

    enum Material: Sendable {
        case rsa(RSAPrivateKey)
        case p256(P256PrivateKey)
        case ed25519(Ed25519PrivateKey)
        case secret(SecretBytes)
    }

    init(material: Material, kid: String?) throws(KeyFailure) {
        let (algorithm, publicMaterial) = Self.publicHalf(of: material)
        let nameless = VerificationKey(kid: nil, algorithm: algorithm, material: publicMaterial)
        let kid = kid ?? nameless.thumbprint
        guard (1...JWKMembers.keyIDBytesMax).contains(kid.utf8.count) else { throw .malformed }
        self.kid = kid
        self.algorithm = algorithm
        self.material = material
        verificationKey = VerificationKey(
            kid: kid, algorithm: algorithm, material: publicMaterial)
    }

    private static func publicHalf(
        of material: Material
    ) -> (Algorithm, VerificationKey.Material) {
        switch material {
        case .rsa(let key): (.rs256, .rsa(key.publicKey))
        case .p256(let key): (.es256, .p256(key.publicKey))
        case .ed25519(let key): (.edDSA, .ed25519(key.publicKey))
        case .secret(let secret): (.hs256, .secret(secret))
        }
    }

    /// Generates a key. An RSA key's primes come from OpenSSL's own generator.
    package static func generate(
        _ algorithm: Algorithm, random: RandomSource
    ) throws(KeyFailure) -> SigningKey {
        let material: Material = try orUnusable { () throws(CryptoFailure) in
            switch algorithm {
            case .rs256: .rsa(try RSAPrivateKey.generate())
            case .es256: .p256(try P256PrivateKey.generate(random: random))
            case .edDSA: .ed25519(try Ed25519PrivateKey.generate(random: random))
            case .hs256: .secret(random.secret(count: 32))
            }
        }
        return try SigningKey(material: material, kid: nil)
    }

    /// An HS256 secret shared by both sides.
    package static func secret(
        _ secret: SecretBytes, kid: String? = nil
    ) throws(KeyFailure) -> SigningKey {
        guard JWKMembers.secretBytes.contains(secret.count) else { throw .unusable }
        return try SigningKey(material: .secret(secret), kid: kid)
    }

    /// The public JWK; nil for HS256.
    package var publicJWK: JSONObject? { verificationKey.publicJWK }

    package func sign(_ message: [UInt8]) throws(CryptoFailure) -> [UInt8] {
        switch material {
        case .rsa(let key): try key.sign(message, padding: .pkcs1)
        case .p256(let key): try key.sign(message)
        case .ed25519(let key): try key.sign(message)
        case .secret(let key): HMAC.sha256(message, key: key)
        }
    }
}

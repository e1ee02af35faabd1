package import Bytes
internal import Cryptography
package import JSON

extension SigningKey {
    private static let exportedLimits = JSONLimits(bytesMax: 16 << 10, depthMax: 2)

    /// The private key for encrypted storage, as a JWK: OpenSSL's file decoders are slow to set up.
    package func exported() -> SecretBytes { SecretBytes(privateJWK.serialized) }

    /// Reads `exported`. The storage is authenticated, so the costly check that the halves of an
    /// RSA or P-256 key match is skipped.
    package init(exported: SecretBytes) throws(KeyFailure) {
        let parsed = try? JSON.parse(exported.reveal(), limits: Self.exportedLimits)
        guard let jwk = parsed?.objectValue else { throw .malformed }
        try self.init(privateJWK: jwk, isTrusted: true)
    }

    /// The verification key of an exported key. Most functions need only that, and building the
    /// signing key costs a process one millisecond.
    package static func verificationKey(
        exported: SecretBytes
    ) throws(KeyFailure) -> VerificationKey {
        let parsed = try? JSON.parse(exported.reveal(), limits: exportedLimits)
        guard var jwk = parsed?.objectValue else { throw .malformed }
        let members = JWKMembers(object: jwk)
        guard try members.algorithm() != .hs256 else {
            return try .secret(try members.secret("k"), kid: try members.keyID())
        }
        for name in ["d", "p", "q", "dp", "dq", "qi"] { jwk[name] = nil }
        return try VerificationKey(jwk: jwk)
    }

    /// An imported private JWK. Its `kid` is kept.
    package init(privateJWK jwk: JSONObject) throws(KeyFailure) {
        try self.init(privateJWK: jwk, isTrusted: false)
    }

    /// An unencrypted PKCS#8, PKCS#1 or SEC1 file, such as Apple's `.p8`.
    package init(pem: SecretBytes, kid: String? = nil) throws(KeyFailure) {
        let file = try orUnusable { () throws(CryptoFailure) in try PrivateKeyFile(pem: pem) }
        switch file {
        case .rsa(let key): try self.init(material: .rsa(key), kid: kid)
        case .p256(let key): try self.init(material: .p256(key), kid: kid)
        case .ed25519(let key): try self.init(material: .ed25519(key), kid: kid)
        }
    }

    /// The key as a PKCS#8 PEM file; nil for HS256, which has none.
    package func pem() throws(KeyFailure) -> SecretBytes? {
        try orUnusable { () throws(CryptoFailure) in
            switch material {
            case .rsa(let key): try key.pem()
            case .p256(let key): try key.pem()
            case .ed25519(let key): try key.pem()
            case .secret: nil
            }
        }
    }

    private init(privateJWK jwk: JSONObject, isTrusted: Bool) throws(KeyFailure) {
        let members = JWKMembers(object: jwk)
        let algorithm = try members.algorithm()
        try members.checkUse(.sign)
        let material: Material
        switch algorithm {
        case .rs256: material = .rsa(try members.rsaPrivateKey(isTrusted: isTrusted))
        case .es256: material = .p256(try members.p256PrivateKey(isTrusted: isTrusted))
        case .edDSA: material = .ed25519(try members.ed25519PrivateKey())
        case .hs256:
            let secret = try members.secret("k")
            guard JWKMembers.secretBytes.contains(secret.count) else { throw .unusable }
            material = .secret(secret)
        }
        try self.init(material: material, kid: try members.keyID())
    }

    /// RFC 7518 section 6.
    private var privateJWK: JSONObject {
        func text(_ secret: SecretBytes) -> JSON { .string(Base64URL.encode(secret.reveal())) }
        var jwk = publicJWK ?? ["kty": "oct", "kid": .string(kid), "alg": "HS256", "use": "sig"]
        switch material {
        case .rsa(let key):
            jwk["d"] = text(key.numbers.exponent)
            jwk["p"] = text(key.numbers.primes.0)
            jwk["q"] = text(key.numbers.primes.1)
            jwk["dp"] = text(key.numbers.primeExponents.0)
            jwk["dq"] = text(key.numbers.primeExponents.1)
            jwk["qi"] = text(key.numbers.coefficient)
        case .p256(let key): jwk["d"] = text(key.scalar)
        case .ed25519(let key): jwk["d"] = text(key.seed)
        case .secret(let secret): jwk["k"] = text(secret)
        }
        return jwk
    }
}

extension JWKMembers {
    fileprivate func rsaPrivateKey(isTrusted: Bool) throws(KeyFailure) -> RSAPrivateKey {
        // RFC 7518 section 6.3.2.7: keys with more than two primes are not supported.
        guard !has("oth") else { throw .unsupported }
        let publicKey = try rsaPublicKey()
        let numbers = RSAPrivateKey.Numbers(
            exponent: try secret("d"), primes: (try secret("p"), try secret("q")),
            primeExponents: (try secret("dp"), try secret("dq")), coefficient: try secret("qi"))
        let key = try orUnusable { () throws(CryptoFailure) in
            try RSAPrivateKey(publicKey: publicKey, numbers: numbers)
        }
        guard isTrusted || key.isConsistent else { throw .unusable }
        return key
    }

    fileprivate func p256PrivateKey(isTrusted: Bool) throws(KeyFailure) -> P256PrivateKey {
        let scalar = SecretBytes(try bytes("d", count: P256PublicKey.coordinateByteCount))
        let publicKey = try p256PublicKey()
        guard !isTrusted else {
            return try orUnusable { () throws(CryptoFailure) in
                try P256PrivateKey(scalar: scalar, trustedPublicKey: publicKey)
            }
        }
        let key = try orUnusable { () throws(CryptoFailure) in
            try P256PrivateKey(scalar: scalar)
        }
        guard key.publicKey == publicKey else { throw .unusable }
        return key
    }

    fileprivate func ed25519PrivateKey() throws(KeyFailure) -> Ed25519PrivateKey {
        let seed = SecretBytes(try bytes("d", count: Ed25519PublicKey.byteCount))
        let publicKey = try ed25519PublicKey()
        let key = try orUnusable { () throws(CryptoFailure) in
            try Ed25519PrivateKey(seed: seed)
        }
        guard key.publicKey == publicKey else { throw .unusable }
        return key
    }
}

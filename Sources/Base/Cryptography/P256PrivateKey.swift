package import Bytes

/// A key on NIST's curve P-256 that signs with ECDSA and SHA-256.
package struct P256PrivateKey: Sendable {
    package let publicKey: P256PublicKey
    /// The private number, big-endian, always 32 bytes.
    package let scalar: SecretBytes
    let handle: KeyHandle

    /// The public half is computed, so the two always belong together.
    package init(scalar: SecretBytes) throws(CryptoFailure) {
        let point = try P256.publicPoint(of: scalar)
        let x = Array(point[1...32])
        let y = Array(point[33...64])
        publicKey = try P256PublicKey(x: x, y: y)
        self.scalar = scalar
        handle = try .assemble(
            "EC", .keyPair,
            [
                .text("group", P256.curveName), .octets("pub", SecretBytes(point)),
                .number("priv", scalar),
            ])
    }

    /// From a PKCS#8 or SEC1 file without a passphrase.
    package init(pem: SecretBytes) throws(CryptoFailure) {
        try self.init(KeyImport.privateKey(pem: pem))
    }

    package init(der: SecretBytes) throws(CryptoFailure) {
        try self.init(KeyImport.privateKey(der: der))
    }

    init(_ file: KeyHandle) throws(CryptoFailure) {
        let (x, y) = try P256.coordinates(of: file)
        try self.init(scalar: file.number("priv", width: P256PublicKey.coordinateByteCount))
        guard publicKey.x == x, publicKey.y == y else { throw .invalidKey }
    }

    package static func generate(random: RandomSource) throws(CryptoFailure) -> P256PrivateKey {
        // A random number is too large once in 2^32: FIPS 186-5 A.2.2, rejection sampling.
        for _ in 0..<16 {
            if let key = try? P256PrivateKey(scalar: random.secret(count: 32)) { return key }
        }
        throw .libraryFailure
    }

    /// `r || s`, 32 bytes each. Two signatures of one message differ.
    package func sign(_ message: [UInt8]) throws(CryptoFailure) -> [UInt8] {
        try ECDSASignature(der: handle.sign(message, .ecdsa)).raw()
    }

    /// A PKCS#8 file.
    package func pem() throws(CryptoFailure) -> SecretBytes { try handle.privatePEM() }
}

package import Bytes

/// A key on NIST's curve P-256 that signs with ECDSA and SHA-256.
package struct P256PrivateKey: Sendable {
    package let publicKey: P256PublicKey
    /// The private number, big-endian, always 32 bytes.
    package let scalar: SecretBytes
    private let key: P256Key

    /// The public half is computed, so the two always belong together.
    package init(scalar: SecretBytes) throws(CryptoFailure) {
        let point = try P256.publicPoint(of: scalar)
        try self.init(
            scalar: scalar,
            trustedPublicKey: P256PublicKey(
                x: Array(point[1...32]), y: Array(point[33...64])))
    }

    /// Takes the word of the caller that the two halves belong together, which saves a
    /// multiplication: for a key from storage that authenticates it.
    package init(
        scalar: SecretBytes, trustedPublicKey: P256PublicKey
    ) throws(CryptoFailure) {
        publicKey = trustedPublicKey
        self.scalar = scalar
        key = try P256Key(scalar: scalar)
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
        try key.sign(message)
    }

    /// A PKCS#8 file.
    package func pem() throws(CryptoFailure) -> SecretBytes { try assembled().privatePEM() }

    /// Lends the key in the form in which certificates and files need it.
    func withHandle<Result>(
        _ body: (OpaquePointer) throws(CryptoFailure) -> Result
    ) throws(CryptoFailure) -> Result {
        let handle = try assembled()
        defer { withExtendedLifetime(handle) {} }
        return try body(handle.pointer)
    }

    private func assembled() throws(CryptoFailure) -> KeyHandle {
        let point = P256.point(publicKey.x, publicKey.y)
        return try .assemble(
            "EC", .keyPair,
            [
                .text("group", P256.curveName), .octets("pub", SecretBytes(point)),
                .number("priv", scalar),
            ])
    }
}

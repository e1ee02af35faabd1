package import Bytes
internal import Synchronization

/// A private key on NIST's curve P-256, for ECDSA with SHA-256.
package struct P256PrivateKey: Sendable {
    package let publicKey: P256PublicKey
    /// The private number, big-endian, always 32 bytes.
    package let scalar: SecretBytes
    private let key: P256Key

    /// The public key is computed from the private one, so they always match.
    package init(scalar: SecretBytes) throws(CryptoFailure) {
        let point = try P256.publicPoint(of: scalar)
        try self.init(
            scalar: scalar,
            trustedPublicKey: P256PublicKey(
                x: Array(point[1...32]), y: Array(point[33...64])))
    }

    /// A key from authenticated storage. This does not check that the two halves match, which saves
    /// a scalar multiplication.
    package init(
        scalar: SecretBytes, trustedPublicKey: P256PublicKey
    ) throws(CryptoFailure) {
        publicKey = trustedPublicKey
        self.scalar = scalar
        key = try P256Key(scalar: scalar)
    }

    /// Reads an unencrypted PKCS#8 or SEC1 file.
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
        // Rejection sampling (FIPS 186-5 A.2.2): a random number is too large once in 2^32 cases.
        for _ in 0..<16 {
            if let key = try? P256PrivateKey(scalar: random.secret(count: 32)) { return key }
        }
        throw .libraryFailure
    }

    /// `r || s`, 32 bytes each. Signatures are randomised: two signatures of the same message
    /// differ.
    package func sign(_ message: [UInt8]) throws(CryptoFailure) -> [UInt8] {
        guard Self.signed.load(ordering: .relaxed) >= Self.ofOneRequest else {
            Self.signed.add(1, ordering: .relaxed)
            return try sign(message, random: RandomSource.system.secret(count: SHA256.byteCount))
        }
        return try key.sign(message)
    }

    /// The number of signatures that this process has made. After the first few, the library's own
    /// signing is used: once its look-ups are done, it is a third faster.
    private static let signed = Atomic(0)
    private static let ofOneRequest = 3

    /// - Parameter random: empty for the deterministic signature of RFC 6979.
    package func sign(
        _ message: [UInt8], random: SecretBytes
    ) throws(CryptoFailure) -> [UInt8] {
        try key.sign(message, scalar: scalar, random: random)
    }

    /// The key as a PKCS#8 PEM file.
    package func pem() throws(CryptoFailure) -> SecretBytes { try assembled().privatePEM() }

    /// Calls the closure with the key as an `EVP_PKEY`, which certificates and files need.
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

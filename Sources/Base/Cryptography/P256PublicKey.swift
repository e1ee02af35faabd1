internal import Bytes

/// A key on NIST's curve P-256 that verifies ECDSA with SHA-256.
package struct P256PublicKey: Sendable {
    package static let coordinateByteCount = 32
    package static let signatureByteCount = 64

    /// Big-endian, always 32 bytes.
    package let x: [UInt8]
    package let y: [UInt8]
    private let key: P256Key

    /// Refuses coordinates that are not those of a point on the curve (RFC 8725 section 3.4): the
    /// C library checks the range and the equation when it reads the point, and on a curve of
    /// prime order no other point can do harm.
    package init(x: [UInt8], y: [UInt8]) throws(CryptoFailure) {
        guard x.count == Self.coordinateByteCount, y.count == Self.coordinateByteCount else {
            throw .invalidKey
        }
        self.x = x
        self.y = y
        key = try P256Key(point: P256.point(x, y))
    }

    package init(pem: String) throws(CryptoFailure) {
        try self.init(KeyImport.publicKey(pem: pem))
    }

    /// From a DER SubjectPublicKeyInfo.
    package init(der: [UInt8]) throws(CryptoFailure) {
        try self.init(KeyImport.publicKey(der: der))
    }

    private init(_ file: KeyHandle) throws(CryptoFailure) {
        let (x, y) = try P256.coordinates(of: file)
        try self.init(x: x, y: y)
    }

    /// Whether `signature` is `r || s`, 32 bytes each (RFC 7518 section 3.4).
    ///
    /// Whoever holds a valid signature can make a second one, `r || n - s`, for the same message:
    /// never identify a token by its signature.
    package func isValid(_ signature: [UInt8], for message: [UInt8]) -> Bool {
        key.verifies(raw: signature, for: message)
    }

    /// The same for the DER form, which X.509 and most test vectors use.
    package func isValid(der signature: [UInt8], for message: [UInt8]) -> Bool {
        key.verifies(der: signature, for: message)
    }

    /// A SubjectPublicKeyInfo file.
    package func pem() throws(CryptoFailure) -> String {
        let handle = try KeyHandle.assemble(
            "EC", .publicKey,
            [.text("group", P256.curveName), .octets("pub", SecretBytes(P256.point(x, y)))])
        return try handle.publicPEM()
    }
}

extension P256PublicKey: Equatable {
    package static func == (left: P256PublicKey, right: P256PublicKey) -> Bool {
        left.x == right.x && left.y == right.y
    }
}

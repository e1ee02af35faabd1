internal import Bytes

/// A public key on NIST's curve P-256, for ECDSA with SHA-256.
package struct P256PublicKey: Sendable {
    package static let coordinateByteCount = 32
    package static let signatureByteCount = 64

    /// The coordinate, big-endian, always 32 bytes.
    package let x: [UInt8]
    package let y: [UInt8]
    private let key: P256Key

    /// Throws if the coordinates are not a point on the curve (RFC 8725 section 3.4). OpenSSL
    /// checks the range and the curve equation when it reads the point; the group has prime order,
    /// so there are no points of small order to refuse.
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

    /// Reads a DER SubjectPublicKeyInfo.
    package init(der: [UInt8]) throws(CryptoFailure) {
        try self.init(KeyImport.publicKey(der: der))
    }

    private init(_ file: KeyHandle) throws(CryptoFailure) {
        let (x, y) = try P256.coordinates(of: file)
        try self.init(x: x, y: y)
    }

    /// Whether `signature` is valid and has the form `r || s`, 32 bytes each (RFC 7518 section
    /// 3.4).
    ///
    /// ECDSA signatures are malleable: from a valid one, anyone can compute a second one, `r || n -
    /// s`, for the same message. Never identify a token by its signature.
    package func isValid(_ signature: [UInt8], for message: [UInt8]) -> Bool {
        key.verifies(raw: signature, for: message)
    }

    /// Verifies a signature in DER form, which X.509 and most test vectors use.
    package func isValid(der signature: [UInt8], for message: [UInt8]) -> Bool {
        key.verifies(der: signature, for: message)
    }

    /// The key as a SubjectPublicKeyInfo PEM file.
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

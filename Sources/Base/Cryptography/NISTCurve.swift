internal import Bytes
internal import COpenSSL

/// The larger NIST curves, each with the hash that COSE and JOSE pair with it. P-256 has separate
/// types.
package enum NISTCurve: Sendable, CaseIterable {
    case p384
    case p521

    package var coordinateByteCount: Int {
        switch self {
        case .p384: 48
        case .p521: 66
        }
    }

    var name: String {
        switch self {
        case .p384: "secp384r1"
        case .p521: "secp521r1"
        }
    }

    var scheme: SignatureScheme {
        switch self {
        case .p384: .ecdsaSHA384
        case .p521: .ecdsaSHA512
        }
    }
}

/// A public key on P-384 with SHA-384, or on P-521 with SHA-512. It can only verify.
package struct NISTCurvePublicKey: Sendable {
    package let curve: NISTCurve
    /// The coordinate, big-endian, always as long as the curve's field.
    package let x: [UInt8]
    package let y: [UInt8]
    private let handle: KeyHandle

    /// Throws if the coordinates are not a point on the curve. OpenSSL checks the range and the
    /// curve equation; both groups have prime order.
    package init(curve: NISTCurve, x: [UInt8], y: [UInt8]) throws(CryptoFailure) {
        guard x.count == curve.coordinateByteCount, y.count == curve.coordinateByteCount else {
            throw .invalidKey
        }
        self.curve = curve
        self.x = x
        self.y = y
        // The uncompressed form of SEC1 section 2.3.3.
        handle = try .assemble(
            "EC", .publicKey,
            [.text("group", curve.name), .octets("pub", SecretBytes([0x04] + x + y))])
    }

    /// Reads a DER SubjectPublicKeyInfo that contains the name of its curve: a key with explicit
    /// parameters could contain its own generator (CVE-2020-0601).
    package init(der: [UInt8]) throws(CryptoFailure) {
        let file = try KeyImport.publicKey(der: der)
        guard file.isType("EC"), file.text("encoding") == "named_curve",
            let name = file.text("group"),
            let curve = NISTCurve.allCases.first(where: { $0.name.isSame(as: name) })
        else { throw .invalidKey }
        let width = curve.coordinateByteCount
        try self.init(
            curve: curve, x: file.number("qx", width: width).reveal(),
            y: file.number("qy", width: width).reveal())
    }

    /// Whether `signature` is valid and in DER form.
    package func isValid(der signature: [UInt8], for message: [UInt8]) -> Bool {
        handle.verifies(signature, for: message, curve.scheme)
    }
}

extension NISTCurvePublicKey: Equatable {
    package static func == (left: NISTCurvePublicKey, right: NISTCurvePublicKey) -> Bool {
        left.curve == right.curve && left.x == right.x && left.y == right.y
    }
}

internal import Bytes
internal import COpenSSL

/// The curve P-256: its name, its points, its group.
enum P256 {
    static let curveName = "prime256v1"
    private static let width = P256PublicKey.coordinateByteCount

    /// The uncompressed form of SEC1 section 2.3.3.
    static func point(_ x: [UInt8], _ y: [UInt8]) -> [UInt8] { [0x04] + x + y }

    /// The coordinates of a key from a file, if its curve is P-256 by name. A key with explicit
    /// curve parameters is refused, because it could contain its own generator (CVE-2020-0601).
    static func coordinates(
        of key: KeyHandle
    ) throws(CryptoFailure) -> (x: [UInt8], y: [UInt8]) {
        guard key.isType("EC"), key.text("group") == curveName,
            key.text("encoding") == "named_curve"
        else { throw .invalidKey }
        return (
            try key.number("qx", width: width).reveal(),
            try key.number("qy", width: width).reveal()
        )
    }

    /// `scalar * G`, for a scalar from 1 to n - 1.
    static func publicPoint(of scalar: SecretBytes) throws(CryptoFailure) -> [UInt8] {
        let group = try group()
        let point = try OpenSSL.check(EC_POINT_new(group))
        defer { EC_POINT_free(point) }
        return try withScalar(scalar, in: group) { number throws(CryptoFailure) in
            try OpenSSL.check(EC_POINT_mul(group, point, number, nil, nil, nil))
            var bytes = [UInt8](repeating: 0, count: 1 + 2 * width)
            let count = EC_POINT_point2oct(
                group, point, POINT_CONVERSION_UNCOMPRESSED, &bytes, bytes.count, nil)
            guard count == bytes.count else { throw .libraryFailure }
            return bytes
        }
    }

    /// `bits2octets` of RFC 6979 section 2.3.4: the number modulo n.
    static func reduced(_ digest: [UInt8]) throws(CryptoFailure) -> [UInt8] {
        let order = EC_GROUP_get0_order(try group())
        return try BigNumber.with(digest) { number throws(CryptoFailure) in
            // The number is below 2n, since n is nearly 2^256.
            if BN_cmp(number, order) >= 0 { try OpenSSL.check(BN_sub(number, number, order)) }
            return try BigNumber.bytes(number, width: width)
        }
    }

    /// Calls the closure with the number if it is a private key: 32 bytes, from 1 to n - 1.
    static func withScalar<Result>(
        _ scalar: SecretBytes, in group: OpaquePointer,
        _ body: (OpaquePointer) throws(CryptoFailure) -> Result
    ) throws(CryptoFailure) -> Result {
        guard scalar.count == width else { throw .invalidKey }
        return try BigNumber.with(scalar) { number throws(CryptoFailure) in
            guard BN_is_zero(number) == 0, BN_cmp(number, EC_GROUP_get0_order(group)) < 0 else {
                throw .invalidKey
            }
            return try body(number)
        }
    }

    /// The group, created once: creating it takes as long as half a signature.
    static func group() throws(CryptoFailure) -> OpaquePointer { try OpenSSL.check(shared.pointer) }

    private static let shared: SharedGroup = {
        OpenSSL.start()
        return SharedGroup(pointer: EC_GROUP_new_by_curve_name(NID_X9_62_prime256v1))
    }()

    /// Unchecked Sendable, because the group is not modified after creation (openssl-threads(7)).
    private struct SharedGroup: @unchecked Sendable {
        let pointer: OpaquePointer?
    }
}

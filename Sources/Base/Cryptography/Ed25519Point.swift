internal import COpenSSL

/// Validates Ed25519 public keys.
enum Ed25519Point {
    /// The y coordinates of the points whose order divides 8, little-endian: 0, 1, -1, and two of
    /// order 8. With such a key, a signature does not depend on the message.
    private static let smallOrder: [[UInt8]] = [
        [UInt8](repeating: 0, count: 32),
        [1] + [UInt8](repeating: 0, count: 31),
        [0xEC] + [UInt8](repeating: 0xFF, count: 30) + [0x7F],
        [
            0x26, 0xE8, 0x95, 0x8F, 0xC2, 0xB2, 0x27, 0xB0, 0x45, 0xC3, 0xF4, 0x89, 0xF2, 0xEF,
            0x98, 0xF0, 0xD5, 0xDF, 0xAC, 0x05, 0xD3, 0xC6, 0x33, 0x39, 0xB1, 0x38, 0x02, 0x88,
            0x6D, 0x53, 0xFC, 0x05,
        ],
        [
            0xC7, 0x17, 0x6A, 0x70, 0x3D, 0x4D, 0xD8, 0x4F, 0xBA, 0x3C, 0x0B, 0x76, 0x0D, 0x10,
            0x67, 0x0F, 0x2A, 0x20, 0x53, 0xFA, 0x2C, 0x39, 0xCC, 0xC6, 0x4E, 0xC7, 0xFD, 0x77,
            0x92, 0xAC, 0x03, 0x7A,
        ],
    ]

    /// 2^255 - 19, big-endian.
    private static let prime: [UInt8] =
        [0x7F] + [UInt8](repeating: 0xFF, count: 30) + [0xED]

    /// The curve's d, -121665/121666, big-endian (RFC 8032 section 5.1).
    private static let d: [UInt8] = [
        0x52, 0x03, 0x6C, 0xEE, 0x2B, 0x6F, 0xFE, 0x73, 0x8C, 0xC7, 0x40, 0x79, 0x77, 0x79, 0xE8,
        0x98, 0x00, 0x70, 0x0A, 0x4D, 0x41, 0x41, 0xD8, 0xAB, 0x75, 0xEB, 0x4D, 0xCA, 0x13, 0x59,
        0x78, 0xA3,
    ]

    /// RFC 8032 section 5.1.3: y is less than p, and x² = (y² - 1) / (d·y² + 1) has a root.
    ///
    /// The root itself is not needed. A quotient is a square exactly if the product is, and the
    /// divisor is never zero on this curve.
    static func isUsable(_ bytes: [UInt8]) throws(CryptoFailure) -> Bool {
        var y = bytes
        y[31] &= 0x7F
        guard !smallOrder.contains(y) else { return false }
        let context = try OpenSSL.check(BN_CTX_new())
        defer { BN_CTX_free(context) }
        return try BigNumber.with(prime) { p throws(CryptoFailure) in
            try BigNumber.with(d) { d throws(CryptoFailure) in
                try BigNumber.with(y.reversed()) { y throws(CryptoFailure) in
                    guard BN_cmp(y, p) < 0 else { return false }
                    return try BigNumber.with([1]) { one throws(CryptoFailure) in
                        let product = try OpenSSL.check(BN_new())
                        defer { BN_free(product) }
                        // Computes y² into y, y² - 1 into product, then d·y² + 1 into y.
                        try OpenSSL.check(BN_mod_sqr(y, y, p, context))
                        try OpenSSL.check(BN_mod_sub(product, y, one, p, context))
                        try OpenSSL.check(BN_mod_mul(y, y, d, p, context))
                        try OpenSSL.check(BN_mod_add(y, y, one, p, context))
                        try OpenSSL.check(BN_mod_mul(product, product, y, p, context))
                        return BN_kronecker(product, p, context) == 1
                    }
                }
            }
        }
    }
}

/// CRC-32 (IEEE 802.3), the checksum in `x-amz-crc32`.
package enum CRC32 {
    package static func checksum(_ bytes: [UInt8]) -> UInt32 {
        var remainder: UInt32 = 0xFFFF_FFFF
        for byte in bytes {
            remainder = table[Int((remainder ^ UInt32(byte)) & 0xFF)] ^ (remainder >> 8)
        }
        return ~remainder
    }

    /// The remainder for each byte, for the reflected polynomial.
    private static let table: [UInt32] = (0..<256).map { byte in
        (0..<8).reduce(UInt32(byte)) { remainder, _ in
            remainder & 1 == 1 ? 0xEDB8_8320 ^ (remainder >> 1) : remainder >> 1
        }
    }
}

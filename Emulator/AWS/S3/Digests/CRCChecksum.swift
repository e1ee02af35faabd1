/// A reflected CRC of 32 or 64 bits, computed eight bytes at a time.
struct CRCChecksum: Sendable {
    static let crc32 = CRCChecksum(polynomial: 0xEDB8_8320, byteCount: 4)
    /// Castagnoli's polynomial.
    static let crc32c = CRCChecksum(polynomial: 0x82F6_3B78, byteCount: 4)
    /// The polynomial of NVM Express.
    static let crc64NVMe = CRCChecksum(polynomial: 0x9A6C_9329_AC4B_C9B5, byteCount: 8)

    private let byteCount: Int
    private let tables: [UInt64]

    private init(polynomial: UInt64, byteCount: Int) {
        self.byteCount = byteCount
        var tables = [UInt64](repeating: 0, count: 8 * 256)
        for byte in 0..<256 {
            var value = UInt64(byte)
            for _ in 0..<8 { value = value & 1 == 1 ? value >> 1 ^ polynomial : value >> 1 }
            tables[byte] = value
        }
        for index in 256..<(8 * 256) {
            let previous = tables[index - 256]
            tables[index] = previous >> 8 ^ tables[Int(previous & 0xFF)]
        }
        self.tables = tables
    }

    private var ones: UInt64 { byteCount == 8 ? .max : 0xFFFF_FFFF }

    /// Returns the checksum in big-endian order, as in headers.
    func hash(_ pieces: [[UInt8]]) -> [UInt8] {
        var value = ones
        for piece in pieces { value = update(value, piece) }
        value ^= ones
        return (0..<byteCount).map {
            UInt8(truncatingIfNeeded: value >> UInt64((byteCount - 1 - $0) * 8))
        }
    }

    private func update(_ start: UInt64, _ bytes: [UInt8]) -> UInt64 {
        var value = start
        let table = tables.span
        let input = bytes.span
        var index = 0
        while index &+ 8 <= input.count {
            let word = unsafe UInt64(
                littleEndian: input.bytes.unsafeLoadUnaligned(
                    fromByteOffset: index, as: UInt64.self))
            let mixed = value ^ word
            value = 0
            for lane in 0..<8 {
                let byte = Int(truncatingIfNeeded: mixed >> UInt64(lane &* 8) & 0xFF)
                value ^= table[(7 &- lane) &* 256 &+ byte]
            }
            index &+= 8
        }
        while index < input.count {
            value = value >> 8 ^ table[Int((value ^ UInt64(input[index])) & 0xFF)]
            index &+= 1
        }
        return value
    }
}

/// A version of the symbol, 1 to 40, with error correction level M: how many codewords it has, and
/// how they are made.
struct Version: Equatable {
    let number: Int

    var size: Int { 17 + 4 * number }

    static func smallest(for byteCount: Int) -> Version? {
        (1...40).lazy.map(Version.init(number:)).first { version in
            4 + version.lengthBits + 8 * byteCount <= 8 * version.dataCodewords
        }
    }

    // Table 9 for level M, by version.
    private static let checkCodewordsPerBlock = [
        10, 16, 26, 18, 24, 16, 18, 22, 22, 26, 30, 22, 22, 24, 24, 28, 28, 26, 26, 26, 26, 28, 28,
        28, 28, 28, 28, 28, 28, 28, 28, 28, 28, 28, 28, 28, 28, 28, 28, 28,
    ]
    private static let blocks = [
        1, 1, 1, 2, 2, 4, 4, 4, 5, 5, 5, 8, 9, 9, 10, 10, 11, 13, 14, 16, 17, 17, 18, 20, 21, 23,
        25, 26, 28, 29, 31, 33, 35, 37, 38, 40, 43, 45, 47, 49,
    ]

    private var blockCount: Int { Self.blocks[number - 1] }
    private var checkCount: Int { Self.checkCodewordsPerBlock[number - 1] }

    /// The number of codewords: all modules except function patterns, format and version
    /// information (table 1).
    private var codewords: Int {
        var modules = (16 * number + 128) * number + 64
        if number >= 2 {
            let alignments = number / 7 + 2
            modules -= (25 * alignments - 10) * alignments - 55
            if number >= 7 { modules -= 36 }
        }
        return modules / 8
    }

    private var dataCodewords: Int { codewords - blockCount * checkCount }

    /// The character count indicator of byte mode (table 3).
    private var lengthBits: Int { number < 10 ? 8 : 16 }

    /// Mode, length, bytes, terminator and padding (sections 7.4.5, 7.4.9 and 7.4.10).
    func encoded(_ bytes: [UInt8]) -> [UInt8] {
        var bits = BitWriter()
        bits.append(0b0100, bits: 4)
        bits.append(bytes.count, bits: lengthBits)
        for byte in bytes { bits.append(Int(byte), bits: 8) }
        bits.append(0, bits: min(4, 8 * dataCodewords - bits.count))
        bits.fillByte()
        let padding = (0..<dataCodewords - bits.bytes.count).map {
            $0.isMultiple(of: 2) ? UInt8(0xEC) : 0x11
        }
        return bits.bytes + padding
    }

    /// The data and its check codewords, interleaved (section 7.6). If the data cannot be divided
    /// evenly, the last blocks are one codeword longer.
    func protected(_ data: [UInt8]) -> [UInt8] {
        let generator = ReedSolomon(checkCount: checkCount)
        let shortCount = data.count / blockCount
        let shortBlocks = blockCount - data.count % blockCount
        var parts: [[UInt8]] = []
        var start = 0
        for index in 0..<blockCount {
            let end = start + shortCount + (index < shortBlocks ? 0 : 1)
            parts.append(Array(data[start..<end]))
            start = end
        }
        let checks = parts.map(generator.checkCodewords)
        var result: [UInt8] = []
        for index in 0...shortCount {
            for part in parts where index < part.count { result.append(part[index]) }
        }
        for index in 0..<checkCount {
            for check in checks { result.append(check[index]) }
        }
        return result
    }

    /// The centres of alignment patterns, on both axes (annex E).
    var alignmentCentres: [Int] {
        guard number >= 2 else { return [] }
        let count = number / 7 + 2
        let step = (number * 8 + count * 3 + 5) / (count * 4 - 4) * 2
        return [6] + (0..<count - 1).map { size - 7 - $0 * step }.reversed()
    }
}

/// Bits, the most significant first.
private struct BitWriter {
    private(set) var bytes: [UInt8] = []
    private(set) var count = 0

    mutating func append(_ value: Int, bits: Int) {
        for index in stride(from: bits - 1, through: 0, by: -1) {
            if count.isMultiple(of: 8) { bytes.append(0) }
            if value >> index & 1 == 1 { bytes[count / 8] |= 0x80 >> UInt8(count % 8) }
            count += 1
        }
    }

    mutating func fillByte() { append(0, bits: (8 - count % 8) % 8) }
}

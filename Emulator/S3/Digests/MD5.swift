/// MD5 (RFC 1321): what an ETag is, and no protection against anybody. Cryptography has none on
/// purpose.
struct MD5 {
    private var a: UInt32 = 0x6745_2301
    private var b: UInt32 = 0xEFCD_AB89
    private var c: UInt32 = 0x98BA_DCFE
    private var d: UInt32 = 0x1032_5476

    static func hash(_ bytes: [UInt8]) -> [UInt8] {
        var state = MD5()
        let whole = bytes.count & ~63
        var offset = 0
        while offset < whole {
            state.mix(bytes, at: offset)
            offset += 64
        }
        // The rest, a bit, zeros, and the length in bits.
        var tail = Array(bytes[whole...])
        tail.append(0x80)
        while tail.count % 64 != 56 { tail.append(0) }
        let bitCount = UInt64(bytes.count) &* 8
        for shift in stride(from: 0, to: 64, by: 8) {
            tail.append(UInt8(truncatingIfNeeded: bitCount >> UInt64(shift)))
        }
        for offset in stride(from: 0, to: tail.count, by: 64) { state.mix(tail, at: offset) }
        return [state.a, state.b, state.c, state.d].flatMap { word in
            (0..<4).map { UInt8(truncatingIfNeeded: word >> UInt32($0 * 8)) }
        }
    }

    private mutating func mix(_ bytes: [UInt8], at offset: Int) {
        let block = unsafe bytes.span.bytes
        let sines = Self.sines.span
        var words = InlineArray<16, UInt32>(repeating: 0)
        for index in 0..<16 {
            words[index] = unsafe UInt32(
                littleEndian: block.unsafeLoadUnaligned(
                    fromByteOffset: offset &+ index &* 4, as: UInt32.self))
        }
        var (a, b, c, d) = (a, b, c, d)
        // Four steps at a time, after which everything is in its place again: the amounts to turn
        // by are constants then, and the loop has nothing to decide.
        for step in stride(from: 0, to: 16, by: 4) {
            Self.turn(&a, b, d ^ (b & (c ^ d)), words[step], sines[step], 7)
            Self.turn(&d, a, c ^ (a & (b ^ c)), words[step &+ 1], sines[step &+ 1], 12)
            Self.turn(&c, d, b ^ (d & (a ^ b)), words[step &+ 2], sines[step &+ 2], 17)
            Self.turn(&b, c, a ^ (c & (d ^ a)), words[step &+ 3], sines[step &+ 3], 22)
        }
        for step in stride(from: 16, to: 32, by: 4) {
            let index = 5 &* step &+ 1
            Self.turn(&a, b, c ^ (d & (b ^ c)), words[index & 15], sines[step], 5)
            Self.turn(&d, a, b ^ (c & (a ^ b)), words[(index &+ 5) & 15], sines[step &+ 1], 9)
            Self.turn(&c, d, a ^ (b & (d ^ a)), words[(index &+ 10) & 15], sines[step &+ 2], 14)
            Self.turn(&b, c, d ^ (a & (c ^ d)), words[(index &+ 15) & 15], sines[step &+ 3], 20)
        }
        for step in stride(from: 32, to: 48, by: 4) {
            let index = 3 &* step &+ 5
            Self.turn(&a, b, b ^ c ^ d, words[index & 15], sines[step], 4)
            Self.turn(&d, a, a ^ b ^ c, words[(index &+ 3) & 15], sines[step &+ 1], 11)
            Self.turn(&c, d, d ^ a ^ b, words[(index &+ 6) & 15], sines[step &+ 2], 16)
            Self.turn(&b, c, c ^ d ^ a, words[(index &+ 9) & 15], sines[step &+ 3], 23)
        }
        for step in stride(from: 48, to: 64, by: 4) {
            let index = 7 &* step
            Self.turn(&a, b, c ^ (b | ~d), words[index & 15], sines[step], 6)
            Self.turn(&d, a, b ^ (a | ~c), words[(index &+ 7) & 15], sines[step &+ 1], 10)
            Self.turn(&c, d, a ^ (d | ~b), words[(index &+ 14) & 15], sines[step &+ 2], 15)
            Self.turn(&b, c, d ^ (c | ~a), words[(index &+ 21) & 15], sines[step &+ 3], 21)
        }
        self.a &+= a
        self.b &+= b
        self.c &+= c
        self.d &+= d
    }

    @inline(__always)
    private static func turn(
        _ a: inout UInt32, _ b: UInt32, _ mixed: UInt32, _ word: UInt32, _ sine: UInt32,
        _ amount: UInt32
    ) {
        let sum = a &+ mixed &+ word &+ sine
        a = b &+ (sum &<< amount | sum &>> (32 &- amount))
    }

    /// RFC 1321 section 3.4: the whole part of 4294967296 times |sin(step)|.
    private static let sines: [UInt32] = [
        0xD76A_A478, 0xE8C7_B756, 0x2420_70DB, 0xC1BD_CEEE, 0xF57C_0FAF, 0x4787_C62A, 0xA830_4613,
        0xFD46_9501, 0x6980_98D8, 0x8B44_F7AF, 0xFFFF_5BB1, 0x895C_D7BE, 0x6B90_1122, 0xFD98_7193,
        0xA679_438E, 0x49B4_0821, 0xF61E_2562, 0xC040_B340, 0x265E_5A51, 0xE9B6_C7AA, 0xD62F_105D,
        0x0244_1453, 0xD8A1_E681, 0xE7D3_FBC8, 0x21E1_CDE6, 0xC337_07D6, 0xF4D5_0D87, 0x455A_14ED,
        0xA9E3_E905, 0xFCEF_A3F8, 0x676F_02D9, 0x8D2A_4C8A, 0xFFFA_3942, 0x8771_F681, 0x6D9D_6122,
        0xFDE5_380C, 0xA4BE_EA44, 0x4BDE_CFA9, 0xF6BB_4B60, 0xBEBF_BC70, 0x289B_7EC6, 0xEAA1_27FA,
        0xD4EF_3085, 0x0488_1D05, 0xD9D4_D039, 0xE6DB_99E5, 0x1FA2_7CF8, 0xC4AC_5665, 0xF429_2244,
        0x432A_FF97, 0xAB94_23A7, 0xFC93_A039, 0x655B_59C3, 0x8F0C_CC92, 0xFFEF_F47D, 0x8584_5DD1,
        0x6FA8_7E4F, 0xFE2C_E6E0, 0xA301_4314, 0x4E08_11A1, 0xF753_7E82, 0xBD3A_F235, 0x2AD7_D2BB,
        0xEB86_D391,
    ]
}

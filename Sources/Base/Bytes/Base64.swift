/// Base64 with the standard alphabet (RFC 4648 section 4). Padding is required and only the
/// canonical encoding is accepted.
package enum Base64 {
    package static func encode(_ bytes: [UInt8]) -> String { Base64Codec.standard.encode(bytes) }

    package static func encode(_ bytes: some Sequence<UInt8>) -> String { encode(Array(bytes)) }

    package static func decode(_ text: String) -> [UInt8]? {
        Base64Codec.standard.decode(text.utf8.span)
    }

    package static func decode(_ text: some StringProtocol) -> [UInt8]? { decode(String(text)) }
}

/// Base64url (RFC 4648 section 5) without padding, as JOSE uses it (RFC 7515 section 2).
///
/// Every byte string has exactly one accepted encoding. A decoder that accepts `Zh` for `Zg` makes
/// tokens malleable: the same token with a different text would bypass a replay check that compares
/// texts.
package enum Base64URL {
    package static func encode(_ bytes: [UInt8]) -> String { Base64Codec.url.encode(bytes) }

    package static func encode(_ bytes: some Sequence<UInt8>) -> String { encode(Array(bytes)) }

    package static func decode(_ text: String) -> [UInt8]? {
        Base64Codec.url.decode(text.utf8.span)
    }

    package static func decode(_ text: some StringProtocol) -> [UInt8]? { decode(String(text)) }

    /// Decodes text in the form of bytes, such as a part of an unverified token.
    package static func decode(utf8: ArraySlice<UInt8>) -> [UInt8]? {
        Base64Codec.url.decode(utf8.span)
    }
}

/// The encoder and decoder of both alphabets.
private struct Base64Codec {
    private let symbols: [UInt8]
    /// The 6-bit value of each symbol byte, or `noSymbol`.
    private let values: [UInt8]
    private let isPadded: Bool

    private static let noSymbol: UInt8 = 0xFF
    private static let pad = UInt8(ascii: "=")
    private static let common =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"

    static let standard = Base64Codec(symbols: common + "+/", isPadded: true)
    static let url = Base64Codec(symbols: common + "-_", isPadded: false)

    private init(symbols: String, isPadded: Bool) {
        self.symbols = Array(symbols.utf8)
        self.isPadded = isPadded
        var values = [UInt8](repeating: Self.noSymbol, count: 256)
        for (value, symbol) in symbols.utf8.enumerated() { values[Int(symbol)] = UInt8(value) }
        self.values = values
    }

    // This is not generic, because other modules would call the unspecialised version, which is ten
    // times slower.
    func encode(_ bytes: [UInt8]) -> String {
        let capacity = (bytes.count + 2) / 3 * 4
        return unsafe String(unsafeUninitializedCapacity: capacity) { text in
            unsafe write(bytes.span, to: text)
        }
    }

    /// Encodes three bytes as four symbols. Returns the number of symbols written.
    private func write(_ bytes: Span<UInt8>, to text: UnsafeMutableBufferPointer<UInt8>) -> Int {
        let symbols = symbols.span
        func symbol(_ bits: UInt32) -> UInt8 { symbols[Int(bits & 0x3F)] }
        var written = 0
        var position = 0
        while position + 3 <= bytes.count {
            let bits =
                UInt32(bytes[position]) << 16 | UInt32(bytes[position + 1]) << 8
                | UInt32(bytes[position + 2])
            unsafe text[written] = symbol(bits >> 18)
            unsafe text[written + 1] = symbol(bits >> 12)
            unsafe text[written + 2] = symbol(bits >> 6)
            unsafe text[written + 3] = symbol(bits)
            position += 3
            written += 4
        }
        guard position < bytes.count else { return written }
        let hasTwo = position + 1 < bytes.count
        let bits =
            UInt32(bytes[position]) << 16 | (hasTwo ? UInt32(bytes[position + 1]) << 8 : 0)
        unsafe text[written] = symbol(bits >> 18)
        unsafe text[written + 1] = symbol(bits >> 12)
        written += 2
        if hasTwo {
            unsafe text[written] = symbol(bits >> 6)
            written += 1
        }
        while isPadded, written % 4 != 0 {
            unsafe text[written] = Self.pad
            written += 1
        }
        return written
    }

    func decode(_ text: Span<UInt8>) -> [UInt8]? {
        guard let count = isPadded ? Self.countWithoutPadding(text) : text.count else {
            return nil
        }
        // A single remaining symbol holds only six bits, less than a byte.
        guard count % 4 != 1 else { return nil }
        var isCanonical = false
        let bytes = unsafe [UInt8](unsafeUninitializedCapacity: count * 3 / 4) { bytes, written in
            isCanonical = unsafe read(text.extracting(..<count), into: bytes, &written)
        }
        return isCanonical ? bytes : nil
    }

    /// False for a byte outside the alphabet and for non-zero bits after the last byte (RFC 4648
    /// section 3.5).
    private func read(
        _ text: Span<UInt8>, into bytes: UnsafeMutableBufferPointer<UInt8>, _ written: inout Int
    ) -> Bool {
        let values = values.span
        func value(_ position: Int) -> UInt32 { UInt32(values[Int(text[position])]) }
        var position = 0
        while position + 4 <= text.count {
            let (a, b) = (value(position), value(position + 1))
            let (c, d) = (value(position + 2), value(position + 3))
            guard (a | b | c | d) <= 0x3F else { return false }
            let bits = a << 18 | b << 12 | c << 6 | d
            unsafe bytes[written] = UInt8(truncatingIfNeeded: bits >> 16)
            unsafe bytes[written + 1] = UInt8(truncatingIfNeeded: bits >> 8)
            unsafe bytes[written + 2] = UInt8(truncatingIfNeeded: bits)
            position += 4
            written += 3
        }
        // The last group: two symbols encode one byte, three encode two.
        let rest = text.count - position
        guard rest > 0 else { return true }
        let (a, b) = (value(position), value(position + 1))
        let c = rest == 3 ? value(position + 2) : 0
        guard (a | b | c) <= 0x3F else { return false }
        let bits = a << 18 | b << 12 | c << 6
        for shift: UInt32 in rest == 3 ? [16, 8] : [16] {
            unsafe bytes[written] = UInt8(truncatingIfNeeded: bits >> shift)
            written += 1
        }
        return bits & (rest == 3 ? 0xFF : 0xFFFF) == 0
    }

    /// The number of symbols before the padding; nil if the padding is not exactly right.
    private static func countWithoutPadding(_ text: Span<UInt8>) -> Int? {
        guard text.count % 4 == 0 else { return nil }
        guard let last = text.indices.last, text[last] == pad else { return text.count }
        return text[last - 1] == pad ? text.count - 2 : text.count - 1
    }
}

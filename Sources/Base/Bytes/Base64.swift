/// Base64 with the standard alphabet (RFC 4648 section 4): padded and canonical, nothing else.
package enum Base64 {
    package static func encode(_ bytes: some Sequence<UInt8>) -> String {
        Base64Codec.standard.encode(Array(bytes))
    }

    package static func decode(_ text: some StringProtocol) -> [UInt8]? {
        Base64Codec.standard.decode(Array(text.utf8)[...])
    }
}

/// Base64url (RFC 4648 section 5) as JOSE writes it (RFC 7515 section 2): no padding.
///
/// Every byte string has exactly one accepted spelling. A decoder that takes `Zh` for `Zg` makes
/// tokens malleable: the same token under another text slips past whatever remembers the text.
package enum Base64URL {
    package static func encode(_ bytes: some Sequence<UInt8>) -> String {
        Base64Codec.url.encode(Array(bytes))
    }

    package static func decode(_ text: some StringProtocol) -> [UInt8]? {
        Base64Codec.url.decode(Array(text.utf8)[...])
    }

    /// The same for text that is still bytes: a part of a token, before anybody trusts it.
    package static func decode(utf8: ArraySlice<UInt8>) -> [UInt8]? {
        Base64Codec.url.decode(utf8)
    }
}

/// The one machine behind both alphabets.
private struct Base64Codec {
    private let symbols: [UInt8]
    /// The value of each byte as a symbol, or `noSymbol`.
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

    // Not generic: other modules would run that unspecialised, at ten times the cost.
    func encode(_ bytes: [UInt8]) -> String {
        var text: [UInt8] = []
        text.reserveCapacity(bytes.count * 4 / 3 + 4)
        var bits: UInt32 = 0
        var bitCount: UInt32 = 0
        for byte in bytes {
            bits = bits << 8 | UInt32(byte)
            bitCount += 8
            while bitCount >= 6 {
                bitCount -= 6
                text.append(symbols[Int(bits >> bitCount & 0x3F)])
            }
        }
        if bitCount > 0 { text.append(symbols[Int(bits << (6 - bitCount) & 0x3F)]) }
        while isPadded, text.count % 4 != 0 { text.append(Self.pad) }
        return String(decoding: text, as: UTF8.self)
    }

    func decode(_ text: ArraySlice<UInt8>) -> [UInt8]? {
        guard let body = isPadded ? Self.withoutPadding(text) : text else { return nil }
        // A single symbol holds six bits: not even one byte.
        guard body.count % 4 != 1 else { return nil }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(body.count * 3 / 4)
        var bits: UInt32 = 0
        var bitCount: UInt32 = 0
        for symbol in body {
            let value = values[Int(symbol)]
            guard value != Self.noSymbol else { return nil }
            bits = bits << 6 | UInt32(value)
            bitCount += 6
            if bitCount >= 8 {
                bitCount -= 8
                bytes.append(UInt8(truncatingIfNeeded: bits >> bitCount))
            }
        }
        // RFC 4648 section 3.5: the bits past the last byte must be zero.
        guard bits & (1 << bitCount - 1) == 0 else { return nil }
        return bytes
    }

    /// The symbols before one or two pads, or nil where the padding is not exactly right.
    private static func withoutPadding(_ text: ArraySlice<UInt8>) -> ArraySlice<UInt8>? {
        guard text.count % 4 == 0 else { return nil }
        let padCount = text.suffix(2).reversed().prefix { $0 == pad }.count
        return text.dropLast(padCount)
    }
}

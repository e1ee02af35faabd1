/// Base 32 (RFC 4648 section 6) without padding, as authenticator apps and their users read it.
package enum Base32 {
    private static let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZ234567".utf8)

    package static func encode(_ bytes: [UInt8]) -> String {
        var text: [UInt8] = []
        var (buffer, bits) = (0, 0)
        for byte in bytes {
            buffer = (buffer << 8 | Int(byte)) & 0xFFF
            bits += 8
            while bits >= 5 {
                bits -= 5
                text.append(alphabet[buffer >> bits & 31])
            }
        }
        if bits > 0 { text.append(alphabet[buffer << (5 - bits) & 31]) }
        return String(decoding: text, as: UTF8.self)
    }

    /// Decodes upper and lower case. nil for any other symbol, an impossible length, or remaining
    /// bits that are not zero.
    package static func decode(_ text: String) -> [UInt8]? {
        var bytes: [UInt8] = []
        var (buffer, bits) = (0, 0)
        for symbol in text.utf8 {
            guard let value = value(of: symbol) else { return nil }
            buffer = (buffer << 5 | value) & 0xFFF
            bits += 5
            if bits >= 8 {
                bits -= 8
                bytes.append(UInt8(buffer >> bits & 0xFF))
            }
        }
        guard bits < 5, buffer & (1 << bits - 1) == 0 else { return nil }
        return bytes
    }

    private static func value(of symbol: UInt8) -> Int? {
        switch symbol {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"): Int(symbol - UInt8(ascii: "A"))
        case UInt8(ascii: "a")...UInt8(ascii: "z"): Int(symbol - UInt8(ascii: "a"))
        case UInt8(ascii: "2")...UInt8(ascii: "7"): Int(symbol - UInt8(ascii: "2")) + 26
        default: nil
        }
    }
}

/// Base 16: lower case when written, either case when read.
package enum Hex {
    private static let digits = Array("0123456789abcdef".utf8)

    package static func encode(_ bytes: some Sequence<UInt8>) -> String { encode(Array(bytes)) }

    /// Not generic: other modules would run that unspecialised, at ten times the cost.
    package static func encode(_ bytes: [UInt8]) -> String {
        let digits = digits
        let text = unsafe [UInt8](unsafeUninitializedCapacity: bytes.count * 2) { text, count in
            for byte in bytes {
                unsafe text[count] = digits[Int(byte >> 4)]
                unsafe text[count + 1] = digits[Int(byte & 0x0F)]
                count += 2
            }
        }
        return String(decoding: text, as: UTF8.self)
    }

    package static func decode(_ text: some StringProtocol) -> [UInt8]? {
        let symbols = Array(text.utf8)
        guard symbols.count.isMultiple(of: 2) else { return nil }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(symbols.count / 2)
        for position in stride(from: 0, to: symbols.count, by: 2) {
            guard let high = value(of: symbols[position]),
                let low = value(of: symbols[position + 1])
            else { return nil }
            bytes.append(high << 4 | low)
        }
        return bytes
    }

    /// What one hexadecimal digit stands for.
    package static func value(of digit: UInt8) -> UInt8? {
        switch digit {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): digit - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): digit - UInt8(ascii: "a") + 10
        case UInt8(ascii: "A")...UInt8(ascii: "F"): digit - UInt8(ascii: "A") + 10
        default: nil
        }
    }
}

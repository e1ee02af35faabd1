/// Base 16 (RFC 4648 section 8): encodes in lower case, decodes either case.
package enum Hex {
    package static func encode(_ bytes: some Sequence<UInt8>) -> String { encode(Array(bytes)) }

    /// This is not generic, because other modules would call the unspecialised version, which is
    /// ten times slower.
    package static func encode(_ bytes: [UInt8]) -> String {
        unsafe String(unsafeUninitializedCapacity: bytes.count * 2) { text in
            var count = 0
            for byte in bytes {
                unsafe text[count] = digit(byte >> 4)
                unsafe text[count + 1] = digit(byte & 0x0F)
                count += 2
            }
            return count
        }
    }

    package static func decode(_ text: some StringProtocol) -> [UInt8]? { decode(String(text)) }

    package static func decode(_ text: String) -> [UInt8]? {
        let symbols = text.utf8.span
        guard symbols.count.isMultiple(of: 2) else { return nil }
        var isHex = true
        let bytes = unsafe [UInt8](unsafeUninitializedCapacity: symbols.count / 2) { bytes, count in
            while count * 2 < symbols.count {
                guard let high = value(of: symbols[count * 2]),
                    let low = value(of: symbols[count * 2 + 1])
                else {
                    isHex = false
                    return
                }
                unsafe bytes[count] = high << 4 | low
                count += 1
            }
        }
        return isHex ? bytes : nil
    }

    /// The digit of a value below 16, in lower case.
    static func digit(_ value: UInt8) -> UInt8 {
        value < 10 ? UInt8(ascii: "0") + value : UInt8(ascii: "a") - 10 + value
    }

    /// The value of one hexadecimal digit.
    package static func value(of digit: UInt8) -> UInt8? {
        switch digit {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): digit - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): digit - UInt8(ascii: "a") + 10
        case UInt8(ascii: "A")...UInt8(ascii: "F"): digit - UInt8(ascii: "A") + 10
        default: nil
        }
    }
}

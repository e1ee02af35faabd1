internal import Bytes
internal import JSON

/// The values of scalars without quotes (YAML 1.1, as CloudFormation reads them). Every scalar that
/// is not one of these values is a text, including dates, such as the version of a policy.
enum PlainScalar {
    static func value(_ text: String) -> JSON {
        switch text {
        case "", "~", "null", "Null", "NULL": .null
        case "true", "True", "TRUE", "yes", "Yes", "YES", "on", "On", "ON": .bool(true)
        case "false", "False", "FALSE", "no", "No", "NO", "off", "Off", "OFF": .bool(false)
        default: number(text).map { .number($0) } ?? .string(text)
        }
    }

    static func number(_ text: String) -> JSONNumber? {
        var digits = Array(text.utf8)
        var sign = ""
        if let first = digits.first, first == UInt8(ascii: "-") || first == UInt8(ascii: "+") {
            digits.removeFirst()
            if first == UInt8(ascii: "-") { sign = "-" }
        }
        guard let first = digits.first, first.isDigit || first == UInt8(ascii: ".") else {
            return nil
        }
        if digits.contains(UInt8(ascii: ":")) { return base60(digits, sign) }
        let isHexadecimal = digits.starts(with: "0x".utf8)
        if digits.contains(UInt8(ascii: ".")), !isHexadecimal { return fraction(digits, sign) }
        let (radix, rest): (Int, ArraySlice<UInt8>) =
            if isHexadecimal {
                (16, digits.dropFirst(2))
            } else if digits.starts(with: "0b".utf8) {
                (2, digits.dropFirst(2))
            } else if first == UInt8(ascii: "0"), digits.count > 1 {
                (8, digits.dropFirst())
            } else {
                (10, digits[...])
            }
        let plain = withoutUnderscores(rest)
        if radix == 10 {
            // Integers have any length. An exponent needs a point.
            let isInteger = plain.utf8.allSatisfy(\.isDigit)
            return isInteger ? JSONNumber(literal: sign + plain) : nil
        }
        return Int64(sign + plain, radix: radix).map { JSONNumber($0) }
    }

    /// `1.5`, `.5`, `1.`, `1.5e+3`; the notation is kept, so that 1.10 does not become 1.1.
    private static func fraction(_ digits: [UInt8], _ sign: String) -> JSONNumber? {
        // A point by itself is a text, such as the path of this folder.
        guard digits.contains(where: \.isDigit) else { return nil }
        var plain = withoutUnderscores(digits[...])
        if plain.hasPrefix(".") { plain = "0" + plain }
        if plain.hasSuffix(".") { plain += "0" }
        return JSONNumber(literal: sign + plain)
    }

    /// `1:30:00` is 5,400: a time without quotes is read as a base 60 integer.
    private static func base60(_ digits: [UInt8], _ sign: String) -> JSONNumber? {
        let parts = digits.split(separator: UInt8(ascii: ":"), omittingEmptySubsequences: false)
        guard digits.first != UInt8(ascii: "0") else { return nil }
        var total: Int64 = 0
        for (index, part) in parts.enumerated() {
            let isShort = index == 0 || part.count <= 2
            let value = UInt32(withoutUnderscores(part)).map { Int64($0) }
            guard isShort, let value, index == 0 || value < 60, total < 1 << 40 else { return nil }
            total = total * 60 + value
        }
        return JSONNumber(sign.isEmpty ? total : -total)
    }

    private static func withoutUnderscores(_ digits: ArraySlice<UInt8>) -> String {
        String(decoding: digits.filter { $0 != UInt8(ascii: "_") }, as: UTF8.self)
    }
}

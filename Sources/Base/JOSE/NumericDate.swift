internal import Bytes
internal import JSON

/// NumericDate (RFC 7519 section 2): seconds since 1970, optionally with a fraction or an exponent.
///
/// The fraction is dropped. Only times from 1970 to the end of the year 9999 are accepted, and no
/// floating point is used: rounding, or reading `1e99` as "never", is a known defect elsewhere
/// (libjwt#283).
enum NumericDate {
    static let secondsMax: Int64 = 253_402_300_799
    private static let digitsMax = 12

    /// Whole seconds; nil for a time outside the range.
    static func seconds(_ number: JSONNumber) -> Int64? {
        var decimal = Decimal(number)
        decimal.dropLeadingZeros()
        guard !decimal.digits.isEmpty else { return 0 }
        guard !decimal.isNegative, decimal.integerDigits <= digitsMax else { return nil }
        var seconds: Int64 = 0
        for position in 0..<max(0, decimal.integerDigits) {
            let digit = position < decimal.digits.count ? decimal.digits[position] : 0
            seconds = seconds * 10 + Int64(digit)
        }
        return seconds <= secondsMax ? seconds : nil
    }

    /// The digits of a number, and the position of the decimal point after the exponent is applied:
    /// negative or larger than the number of digits if the point is outside of them.
    private struct Decimal {
        var isNegative = false
        var digits: [UInt8] = []
        var integerDigits = 0

        /// A document within the size limits has too few digits to compensate such an exponent.
        private static let exponentMax = 1 << 30

        /// The parser has checked the syntax (RFC 8259 section 6).
        init(_ number: JSONNumber) {
            var rest = number.text.utf8[...]
            if rest.first == UInt8(ascii: "-") {
                isNegative = true
                rest.removeFirst()
            }
            var fractionDigits = 0
            var isFraction = false
            while let byte = rest.first, byte | 0x20 != UInt8(ascii: "e") {
                rest.removeFirst()
                if byte == UInt8(ascii: ".") {
                    isFraction = true
                } else {
                    digits.append(byte &- 0x30)
                    fractionDigits += isFraction ? 1 : 0
                }
            }
            integerDigits = digits.count - fractionDigits + Self.exponent(rest.dropFirst())
        }

        private static func exponent(_ text: Substring.UTF8View) -> Int {
            let isNegative = text.first == UInt8(ascii: "-")
            var value = 0
            for byte in text where byte.isDigit {
                value = min(value * 10 + Int(byte &- 0x30), exponentMax)
            }
            return isNegative ? -value : value
        }

        mutating func dropLeadingZeros() {
            let zeros = digits.prefix { $0 == 0 }.count
            digits.removeFirst(zeros)
            integerDigits -= zeros
        }
    }
}

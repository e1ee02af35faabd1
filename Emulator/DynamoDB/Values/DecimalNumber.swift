/// A DynamoDB number: up to 38 significant decimal digits, exact, with a magnitude of 1e-130 to
/// 9.99…e125.
///
/// The value is `coefficient × 10^exponent`, with no trailing zeros in the coefficient, so that
/// equal numbers have one representation: `1e3` and `1000` are the same key.
package struct DecimalNumber: Hashable, Sendable {
    static let digitsMax = 38
    /// The range of the first digit's exponent.
    static let magnitudes = -130...125

    let isNegative: Bool
    let coefficient: UInt128
    let exponent: Int

    static let zero = DecimalNumber(isNegative: false, coefficient: 0, exponent: 0)

    /// The parts must already be normalised.
    init(isNegative: Bool, coefficient: UInt128, exponent: Int) {
        self.isNegative = isNegative
        self.coefficient = coefficient
        self.exponent = exponent
    }

    init(_ value: Int) {
        self = Self.normal(
            isNegative: value < 0, coefficient: UInt128(value.magnitude), exponent: 0)
    }

    static func normal(isNegative: Bool, coefficient: UInt128, exponent: Int) -> DecimalNumber {
        guard coefficient != 0 else { return .zero }
        var coefficient = coefficient
        var exponent = exponent
        while coefficient % 10 == 0 {
            coefficient /= 10
            exponent += 1
        }
        return DecimalNumber(
            isNegative: isNegative, coefficient: coefficient, exponent: exponent)
    }

    /// The digits of the coefficient in ASCII, most significant first; `0` for zero.
    var digits: [UInt8] {
        // Nearly all numbers are small, and 128-bit division is slow.
        if let small = UInt64(exactly: coefficient) { return Array(String(small).utf8) }
        return Array(String(coefficient).utf8)
    }

    /// The exponent of the first digit.
    var magnitude: Int { exponent + digits.count - 1 }

    var negated: DecimalNumber {
        coefficient == 0
            ? self
            : DecimalNumber(
                isNegative: !isNegative, coefficient: coefficient, exponent: exponent)
    }

    /// The value as an integer, if it fits.
    var int64: Int64? {
        guard exponent >= 0, exponent <= 18 else { return nil }
        var value = coefficient
        for _ in 0..<exponent { value *= 10 }
        guard let magnitude = Int64(exactly: value) else { return nil }
        return isNegative ? -magnitude : magnitude
    }
}

extension DecimalNumber: CustomStringConvertible {
    /// Plain decimal notation, never an exponent.
    package var description: String { String(decoding: ascii, as: UTF8.self) }

    var ascii: [UInt8] {
        let digits = digits
        var text: [UInt8] = []
        if isNegative { text.append(UInt8(ascii: "-")) }
        let zero = UInt8(ascii: "0")
        if exponent >= 0 {
            text += digits
            text += repeatElement(zero, count: exponent)
        } else if -exponent < digits.count {
            text += digits.dropLast(-exponent)
            text.append(UInt8(ascii: "."))
            text += digits.suffix(-exponent)
        } else {
            text += [zero, UInt8(ascii: ".")]
            text += repeatElement(zero, count: -exponent - digits.count)
            text += digits
        }
        return text
    }
}

extension DecimalNumber: Comparable {
    package static func < (left: DecimalNumber, right: DecimalNumber) -> Bool {
        if left.isNegative != right.isNegative { return left.isNegative }
        return left.isNegative
            ? right.isSmaller(thanMagnitudeOf: left) : left.isSmaller(thanMagnitudeOf: right)
    }

    private func isSmaller(thanMagnitudeOf other: DecimalNumber) -> Bool {
        if coefficient == 0 || other.coefficient == 0 { return coefficient < other.coefficient }
        if exponent == other.exponent { return coefficient < other.coefficient }
        let magnitudes = (magnitude, other.magnitude)
        if magnitudes.0 != magnitudes.1 { return magnitudes.0 < magnitudes.1 }
        // The first digits have the same exponent, so the difference of exponents is less than 38.
        return exponent > other.exponent
            ? scaled(by: exponent - other.exponent) < other.coefficient
            : coefficient < other.scaled(by: other.exponent - exponent)
    }

    private func scaled(by powers: Int) -> UInt128 {
        var value = coefficient
        for _ in 0..<powers { value *= 10 }
        return value
    }
}

extension DecimalNumber {
    /// The exact sum; nil if it is not a DynamoDB number: too large, too small, or with too many
    /// digits. It is not rounded.
    func adding(_ other: DecimalNumber) -> DecimalNumber? {
        if coefficient == 0 { return other }
        if other.coefficient == 0 { return self }
        let lowest = min(exponent, other.exponent)
        let high = magnitude >= other.magnitude ? self : other
        // The sum of terms that span 39 digits can still have 38, as in 1e38 - 1; over a wider span
        // it cannot. Intermediate values are always below 3e38 < 2^128.
        let span = high.magnitude - lowest + 1
        guard
            span <= Self.digitsMax
                || (span == Self.digitsMax + 1 && high.digits.first == UInt8(ascii: "1"))
        else { return nil }
        let left = scaled(by: exponent - lowest)
        let right = other.scaled(by: other.exponent - lowest)
        let sum: DecimalNumber
        if isNegative == other.isNegative {
            sum = .normal(isNegative: isNegative, coefficient: left + right, exponent: lowest)
        } else if left >= right {
            sum = .normal(isNegative: isNegative, coefficient: left - right, exponent: lowest)
        } else {
            sum = .normal(
                isNegative: other.isNegative, coefficient: right - left, exponent: lowest)
        }
        return sum.isStorable ? sum : nil
    }

    func subtracting(_ other: DecimalNumber) -> DecimalNumber? { adding(other.negated) }

    private var isStorable: Bool {
        coefficient == 0
            || (digits.count <= Self.digitsMax && Self.magnitudes.contains(magnitude))
    }
}

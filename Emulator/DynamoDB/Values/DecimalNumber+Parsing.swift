internal import Bytes

extension DecimalNumber {
    /// Parses a number: a sign, digits with a point, an exponent.
    init(parsing text: String) throws(DynamoDBError) {
        let bytes = Array(text.utf8)
        var reader = NumberReader(bytes: bytes)
        guard let parts = reader.parts() else {
            throw .validation("The parameter cannot be converted to a numeric value: \(text)")
        }
        guard parts.significantDigits > 0 else {
            self = .zero
            return
        }
        let magnitude = parts.exponent.addingClamping(parts.significantDigits - 1)
        guard magnitude <= Self.magnitudes.upperBound else { throw Self.overflow }
        guard magnitude >= Self.magnitudes.lowerBound else { throw Self.underflow }
        guard parts.significantDigits <= Self.digitsMax else {
            throw .validation("Attempting to store more than 38 significant digits in a Number")
        }
        self.init(
            isNegative: parts.isNegative, coefficient: parts.coefficient,
            exponent: parts.exponent)
    }

    static let overflow = DynamoDBError.validation(
        "Number overflow. Attempting to store a number with magnitude larger than supported range")
    private static let underflow = DynamoDBError.validation(
        "Number underflow. Attempting to store a number with magnitude smaller than supported range"
    )
}

private struct NumberReader {
    struct Parts {
        var isNegative = false
        var coefficient: UInt128 = 0
        /// The digits from the first to the last non-zero one.
        var significantDigits = 0
        /// The exponent of the last non-zero digit.
        var exponent = 0
    }

    let bytes: [UInt8]
    private var position = 0

    init(bytes: [UInt8]) { self.bytes = bytes }

    mutating func parts() -> Parts? {
        var parts = Parts()
        parts.isNegative = sign()
        var zerosPending = 0
        var digitsSeen = 0
        var fractionDigits = 0
        var hasPoint = false
        while position < bytes.count {
            let byte = bytes[position]
            if byte == UInt8(ascii: "."), !hasPoint {
                hasPoint = true
            } else if byte.isDigit {
                digitsSeen += 1
                if hasPoint { fractionDigits += 1 }
                append(byte - 0x30, to: &parts, zerosPending: &zerosPending)
            } else {
                break
            }
            position += 1
        }
        guard digitsSeen > 0, let exponent = exponent() else { return nil }
        parts.exponent = exponent.addingClamping(zerosPending - fractionDigits)
        return parts
    }

    /// Zeros count only if another digit follows; digits beyond 38 are counted but not kept.
    private func append(_ digit: UInt8, to parts: inout Parts, zerosPending: inout Int) {
        guard digit != 0 else {
            zerosPending += 1
            return
        }
        if parts.significantDigits == 0 { zerosPending = 0 }
        parts.significantDigits += zerosPending + 1
        if parts.significantDigits <= DecimalNumber.digitsMax {
            for _ in 0..<zerosPending + 1 { parts.coefficient *= 10 }
            parts.coefficient += UInt128(digit)
        }
        zerosPending = 0
    }

    private mutating func sign() -> Bool {
        guard position < bytes.count,
            bytes[position] == UInt8(ascii: "-") || bytes[position] == UInt8(ascii: "+")
        else { return false }
        defer { position += 1 }
        return bytes[position] == UInt8(ascii: "-")
    }

    /// Parses the exponent after `e`, to the end; nil if invalid.
    private mutating func exponent() -> Int? {
        guard position < bytes.count else { return 0 }
        guard bytes[position] | 0x20 == UInt8(ascii: "e") else { return nil }
        position += 1
        let isNegative = sign()
        guard position < bytes.count else { return nil }
        var value = 0
        while position < bytes.count {
            guard bytes[position].isDigit else { return nil }
            // The limit is far outside the valid range and far below an overflow.
            value = min(value * 10 + Int(bytes[position] - 0x30), 1_000_000_000)
            position += 1
        }
        return isNegative ? -value : value
    }
}

extension Int {
    fileprivate func addingClamping(_ other: Int) -> Int {
        let (sum, overflow) = addingReportingOverflow(other)
        return overflow ? (other < 0 ? .min : .max) : sum
    }
}

/// Encodes keys as bytes in DynamoDB's order: strings by UTF-8, numbers by value, binary unsigned.
///
/// An encoded value is never a prefix of another, so that concatenated values keep their order: a
/// zero byte becomes `00 FF`, the end `00 00`.
enum KeyEncoding {
    /// Nil for a type that cannot be a key.
    static func encode(_ value: AttributeValue) -> [UInt8]? {
        switch value {
        case .string(let text): terminated(escaped(text.utf8))
        case .binary(let bytes): terminated(escaped(bytes))
        case .number(let number): encode(number)
        case .bool, .null, .list, .map, .stringSet, .numberSet, .binarySet: nil
        }
    }

    /// The common beginning of the encoded keys that start with this value; nil for numbers, which
    /// have no common beginning.
    static func prefix(_ value: AttributeValue) -> [UInt8]? {
        switch value {
        case .string(let text): escaped(text.utf8)
        case .binary(let bytes): escaped(bytes)
        case .number, .bool, .null, .list, .map, .stringSet, .numberSet, .binarySet: nil
        }
    }

    /// The smallest bytes greater than everything with this prefix; nil if there are none.
    static func successor(ofPrefix bytes: [UInt8]) -> [UInt8]? {
        var bytes = bytes
        while let last = bytes.popLast() {
            if last < 0xFF { return bytes + [last + 1] }
        }
        return nil
    }

    private static func escaped(_ bytes: some Collection<UInt8>) -> [UInt8] {
        var escaped: [UInt8] = []
        escaped.reserveCapacity(bytes.count + 2)
        for byte in bytes {
            escaped.append(byte)
            if byte == 0 { escaped.append(0xFF) }
        }
        return escaped
    }

    private static func terminated(_ bytes: [UInt8]) -> [UInt8] { bytes + [0, 0] }

    /// Sign, exponent of the first digit, digits in pairs; a negative number is the complement of
    /// its magnitude.
    private static func encode(_ number: DecimalNumber) -> [UInt8] {
        guard number.coefficient != 0 else { return [0x80] }
        var digits = number.digits.map { $0 - 0x30 }
        let magnitude = number.exponent + digits.count - 1 - DecimalNumber.magnitudes.lowerBound
        if !digits.count.isMultiple(of: 2) { digits.append(0) }
        var body = [UInt8(magnitude)]
        for index in stride(from: 0, to: digits.count, by: 2) {
            // Each byte is greater than zero, because a zero terminates the digits.
            body.append(digits[index] * 10 + digits[index + 1] + 1)
        }
        body.append(0)
        return number.isNegative ? [0x40] + body.map { ~$0 } : [0xC0] + body
    }
}

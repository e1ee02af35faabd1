/// The stored encoding of an item, unique for each item.
///
///     item   = version, then for each attribute, names ascending: text, value
///     value  = kind, content
///     text   = length (unsigned LEB128), UTF-8; bytes likewise
///     number = sign and exponent (2 bytes), length of the coefficient, the coefficient
///
/// Lists, maps and sets are a count and their elements.
enum DynamoDBItemCodec {
    static let version: UInt8 = 1
    /// The number added to the exponent so that it is never negative: -167 occurs for 38 digits at
    /// 1e-130.
    static let exponentBias = 256

    enum Kind: UInt8 {
        case string = 1
        case number, binary, no, yes, null, list, map, stringSet, numberSet, binarySet
    }

    static func encode(_ item: AttributeMap) -> [UInt8] {
        var writer = Writer()
        writer.bytes.reserveCapacity(192)
        writer.bytes.append(version)
        writer.members(item)
        return writer.bytes
    }

    /// Nil for anything that `encode` does not produce.
    static func decode(_ bytes: [UInt8]) -> AttributeMap? {
        var reader = ItemReader(bytes: bytes)
        guard reader.byte() == version, let item = reader.members(), reader.isAtEnd else {
            return nil
        }
        return item
    }

    private struct Writer {
        var bytes: [UInt8] = []

        mutating func members(_ map: AttributeMap) {
            length(map.count)
            for member in map.members {
                text(member.name)
                value(member.value)
            }
        }

        mutating func value(_ value: AttributeValue) {
            switch value {
            case .string(let string):
                kind(.string)
                text(string)
            case .number(let decimal):
                kind(.number)
                number(decimal)
            case .binary(let binary):
                kind(.binary)
                run(binary)
            case .bool(let flag): kind(flag ? .yes : .no)
            case .null: kind(.null)
            case .list(let elements):
                kind(.list)
                length(elements.count)
                for element in elements { self.value(element) }
            case .map(let map):
                kind(.map)
                members(map)
            case .stringSet(let texts):
                kind(.stringSet)
                length(texts.count)
                for element in texts { text(element) }
            case .numberSet(let numbers):
                kind(.numberSet)
                length(numbers.count)
                for element in numbers { number(element) }
            case .binarySet(let elements):
                kind(.binarySet)
                length(elements.count)
                for element in elements { run(element) }
            }
        }

        private mutating func kind(_ kind: Kind) { bytes.append(kind.rawValue) }

        private mutating func text(_ text: String) {
            length(text.utf8.count)
            bytes += text.utf8
        }

        private mutating func run(_ run: [UInt8]) {
            length(run.count)
            bytes += run
        }

        private mutating func number(_ number: DecimalNumber) {
            let biased = UInt16(number.exponent + exponentBias)
            bytes.append((number.isNegative ? 0x80 : 0) | UInt8(biased >> 8))
            bytes.append(UInt8(biased & 0xFF))
            var rest = number.coefficient
            var coefficient: [UInt8] = []
            while rest > 0 {
                coefficient.append(UInt8(truncatingIfNeeded: rest))
                rest >>= 8
            }
            run(coefficient)
        }

        private mutating func length(_ length: Int) {
            var rest = length
            while rest >= 0x80 {
                bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
                rest >>= 7
            }
            bytes.append(UInt8(rest))
        }
    }
}

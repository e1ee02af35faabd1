/// Item sizes as DynamoDB counts them: names and values; a list or map has 3 bytes plus one for
/// each element (Developer Guide, "DynamoDB item sizes and formats").
enum ItemSize {
    static let itemBytesMax = 400 << 10
    static let hashKeyBytesMax = 2048
    static let rangeKeyBytesMax = 1024

    static func of(_ item: AttributeMap) -> Int {
        item.members.reduce(0) { $0 + $1.name.utf8.count + of($1.value) }
    }

    static func of(_ value: AttributeValue) -> Int {
        switch value {
        case .string(let text): text.utf8.count
        case .number(let number): of(number)
        case .binary(let bytes): bytes.count
        case .bool, .null: 1
        case .list(let elements): elements.reduce(3) { $0 + 1 + of($1) }
        case .map(let map):
            map.members.reduce(3) { $0 + 1 + $1.name.utf8.count + of($1.value) }
        case .stringSet(let texts): texts.reduce(0) { $0 + $1.utf8.count }
        case .numberSet(let numbers): numbers.reduce(0) { $0 + of($1) }
        case .binarySet(let elements): elements.reduce(0) { $0 + $1.count }
        }
    }

    /// A byte for two digits, one for the exponent, one for a minus sign.
    private static func of(_ number: DecimalNumber) -> Int {
        guard number.coefficient != 0 else { return 1 }
        return (number.digits.count + 1) / 2 + 1 + (number.isNegative ? 1 : 0)
    }
}

/// The decoder of `DynamoDBItemCodec`; nil for damaged data.
struct ItemReader {
    private let bytes: [UInt8]
    private var position = 0

    init(bytes: [UInt8]) { self.bytes = bytes }

    var isAtEnd: Bool { position == bytes.count }

    mutating func byte() -> UInt8? {
        guard position < bytes.count else { return nil }
        defer { position += 1 }
        return bytes[position]
    }

    mutating func members() -> AttributeMap? {
        guard let count = length(), count <= bytes.count - position else { return nil }
        var members: [(name: String, value: AttributeValue)] = []
        members.reserveCapacity(count)
        for _ in 0..<count {
            guard let name = text(), let value = value() else { return nil }
            members.append((name, value))
        }
        return AttributeMap(sorted: members)
    }

    private mutating func value() -> AttributeValue? {
        switch byte().flatMap(DynamoDBItemCodec.Kind.init) {
        case .string: text().map(AttributeValue.string)
        case .number: number().map(AttributeValue.number)
        case .binary: run().map { .binary(Array($0)) }
        case .no: .bool(false)
        case .yes: .bool(true)
        case .null: .null
        case .list: elements { $0.value() }.map(AttributeValue.list)
        case .map: members().map(AttributeValue.map)
        case .stringSet: elements { $0.text() }.map(AttributeValue.stringSet)
        case .numberSet: elements { $0.number() }.map(AttributeValue.numberSet)
        case .binarySet: elements { $0.run().map(Array.init) }.map(AttributeValue.binarySet)
        case nil: nil
        }
    }

    private mutating func elements<Element>(
        _ read: (inout ItemReader) -> Element?
    ) -> [Element]? {
        guard let count = length(), count <= bytes.count - position else { return nil }
        var elements: [Element] = []
        elements.reserveCapacity(count)
        for _ in 0..<count {
            guard let element = read(&self) else { return nil }
            elements.append(element)
        }
        return elements
    }

    /// The text was valid when stored; invalid UTF-8 becomes a replacement character.
    private mutating func text() -> String? {
        run().map { String(decoding: $0, as: UTF8.self) }
    }

    private mutating func run() -> ArraySlice<UInt8>? {
        guard let count = length(), count <= bytes.count - position else { return nil }
        defer { position += count }
        return bytes[position..<position + count]
    }

    private mutating func number() -> DecimalNumber? {
        guard let high = byte(), let low = byte(), let coefficient = run(),
            coefficient.count <= 16
        else { return nil }
        let exponent = Int(high & 0x7F) << 8 | Int(low)
        return DecimalNumber(
            isNegative: high & 0x80 != 0,
            coefficient: coefficient.reversed().reduce(0) { $0 << 8 | UInt128($1) },
            exponent: exponent - DynamoDBItemCodec.exponentBias)
    }

    private mutating func length() -> Int? {
        var value = 0
        for shift in stride(from: 0, to: 35, by: 7) {
            guard let byte = byte() else { return nil }
            value |= Int(byte & 0x7F) << shift
            if byte < 0x80 { return value }
        }
        return nil
    }
}

internal import Bytes
internal import JSON

/// Writes values in DynamoDB's JSON directly into the bytes of a response.
struct WireWriter {
    private(set) var bytes: [UInt8] = []

    init(capacity: Int = 256) { bytes.reserveCapacity(capacity) }

    mutating func raw(_ text: StaticString) {
        for byte in text.description.utf8 { bytes.append(byte) }
    }

    mutating func raw(_ text: [UInt8]) { bytes += text }

    mutating func comma() { bytes.append(UInt8(ascii: ",")) }

    mutating func string(_ text: String) {
        bytes.append(UInt8(ascii: "\""))
        for byte in text.utf8 {
            // Most bytes need no escape.
            if byte >= 0x20, byte != UInt8(ascii: "\""), byte != UInt8(ascii: "\\") {
                bytes.append(byte)
            } else {
                escape(byte)
            }
        }
        bytes.append(UInt8(ascii: "\""))
    }

    private mutating func escape(_ byte: UInt8) {
        switch byte {
        case UInt8(ascii: "\""): bytes += "\\\"".utf8
        case UInt8(ascii: "\\"): bytes += "\\\\".utf8
        case 0x0A: bytes += "\\n".utf8
        case 0x0D: bytes += "\\r".utf8
        case 0x09: bytes += "\\t".utf8
        default:
            bytes += "\\u00".utf8
            bytes += Hex.encode([byte]).utf8
        }
    }

    mutating func map(_ map: AttributeMap) {
        bytes.append(UInt8(ascii: "{"))
        for (index, member) in map.members.enumerated() {
            if index > 0 { comma() }
            string(member.name)
            bytes.append(UInt8(ascii: ":"))
            value(member.value)
        }
        bytes.append(UInt8(ascii: "}"))
    }

    mutating func value(_ value: AttributeValue) {
        bytes += "{\"".utf8
        bytes += value.kind.rawValue.utf8
        bytes += "\":".utf8
        switch value {
        case .string(let text): string(text)
        case .number(let number): self.number(number)
        case .binary(let binary): string(Base64.encode(binary))
        case .bool(let flag): bytes += (flag ? "true" : "false").utf8
        case .null: bytes += "true".utf8
        case .list(let elements): array(elements) { $0.value($1) }
        case .map(let map): self.map(map)
        case .stringSet(let texts): array(texts) { $0.string($1) }
        case .numberSet(let numbers): array(numbers) { $0.number($1) }
        case .binarySet(let elements): array(elements) { $0.string(Base64.encode($1)) }
        }
        bytes.append(UInt8(ascii: "}"))
    }

    mutating func array<Element>(
        _ elements: [Element], _ write: (inout WireWriter, Element) -> Void
    ) {
        bytes.append(UInt8(ascii: "["))
        for (index, element) in elements.enumerated() {
            if index > 0 { comma() }
            write(&self, element)
        }
        bytes.append(UInt8(ascii: "]"))
    }

    private mutating func number(_ number: DecimalNumber) {
        bytes.append(UInt8(ascii: "\""))
        bytes += number.ascii
        bytes.append(UInt8(ascii: "\""))
    }
}

extension AttributeMap {
    var json: JSON { .object(JSONObject(members.map { ($0.name, $0.value.json) })) }
}

extension AttributeValue {
    /// The value as a JSON tree.
    var json: JSON {
        let value: JSON =
            switch self {
            case .string(let text): .string(text)
            case .number(let number): .string(number.description)
            case .binary(let bytes): .string(Base64.encode(bytes))
            case .bool(let flag): .bool(flag)
            case .null: true
            case .list(let elements): .array(elements.map(\.json))
            case .map(let map): map.json
            case .stringSet(let texts): .array(texts.map(JSON.string))
            case .numberSet(let numbers): .array(numbers.map { .string($0.description) })
            case .binarySet(let elements): .array(elements.map { .string(Base64.encode($0)) })
            }
        return .object([kind.rawValue: value])
    }
}

extension JSON {
    /// The compact text as UTF-8: members in order, `/` and non-ASCII characters unescaped, only
    /// the escapes that RFC 8259 section 7 requires. Equal trees give equal bytes.
    package var serialized: [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(Self.bytesExpected)
        append(to: &bytes)
        return bytes
    }

    /// The initial capacity, so that most documents need one allocation.
    private static let bytesExpected = 480

    package var text: String { String(decoding: serialized, as: UTF8.self) }

    private func append(to bytes: inout [UInt8]) {
        switch self {
        case .null: bytes += "null".utf8
        case .bool(true): bytes += "true".utf8
        case .bool(false): bytes += "false".utf8
        case .number(let number): bytes += number.text.utf8
        case .string(let text): Self.append(text, to: &bytes)
        case .array(let elements):
            bytes.append(UInt8(ascii: "["))
            for index in elements.indices {
                if index > 0 { bytes.append(UInt8(ascii: ",")) }
                elements[index].append(to: &bytes)
            }
            bytes.append(UInt8(ascii: "]"))
        case .object(let object):
            bytes.append(UInt8(ascii: "{"))
            let members = object.members
            for index in members.indices {
                if index > 0 { bytes.append(UInt8(ascii: ",")) }
                Self.append(members[index].name, to: &bytes)
                bytes.append(UInt8(ascii: ":"))
                members[index].value.append(to: &bytes)
            }
            bytes.append(UInt8(ascii: "}"))
        }
    }

    /// Copies runs without escapes in one piece.
    private static func append(_ text: String, to bytes: inout [UInt8]) {
        bytes.append(UInt8(ascii: "\""))
        let source = text.utf8.span
        var position = 0
        while true {
            let end = source.firstEscaped(from: position)
            append(source.extracting(position..<end), to: &bytes)
            guard end < source.count else { break }
            appendEscaped(source[end], to: &bytes)
            position = end + 1
        }
        bytes.append(UInt8(ascii: "\""))
    }

    private static func append(_ source: Span<UInt8>, to bytes: inout [UInt8]) {
        unsafe source.withUnsafeBufferPointer { unsafe bytes.append(contentsOf: $0) }
    }

    private static func appendEscaped(_ byte: UInt8, to bytes: inout [UInt8]) {
        bytes.append(UInt8(ascii: "\\"))
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"): bytes.append(byte)
        case 0x08: bytes.append(UInt8(ascii: "b"))
        case 0x0C: bytes.append(UInt8(ascii: "f"))
        case 0x0A: bytes.append(UInt8(ascii: "n"))
        case 0x0D: bytes.append(UInt8(ascii: "r"))
        case 0x09: bytes.append(UInt8(ascii: "t"))
        default:
            bytes += "u00".utf8
            bytes.append(hexDigit(byte >> 4))
            bytes.append(hexDigit(byte & 15))
        }
    }

    private static func hexDigit(_ value: UInt8) -> UInt8 {
        value < 10 ? 0x30 + value : 0x61 + value - 10
    }
}

extension JSONObject {
    /// The compact text as UTF-8, without wrapping it in a value first.
    package var serialized: [UInt8] { JSON.object(self).serialized }
}

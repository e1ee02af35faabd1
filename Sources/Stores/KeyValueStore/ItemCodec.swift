internal import Bytes

/// The attributes of an item as bytes, with one encoding per value:
///
///     version 1 | for each attribute, names ascending: name length, name, kind, value
///
/// A length is an unsigned LEB128 number. A text or bytes value is a length and its bytes, an
/// integer is 8 bytes in big-endian order, a flag is part of its kind.
package enum ItemCodec {
    private static let version: UInt8 = 1
    /// The number of attributes of a session: growing an array copies it.
    private static let attributesUsual = 16

    private enum Kind: UInt8 {
        case text = 1
        case integer, bytes, no, yes
    }

    package static func encode(_ attributes: Attributes) -> [UInt8] {
        var bytes = [version]
        for (name, value) in attributes { append(name, value, to: &bytes) }
        return bytes
    }

    /// The bytes before the first attribute.
    package static let start = [version]

    /// The encoding of one attribute. Each name and value has exactly one encoding.
    package static func encode(_ name: String, _ value: Attribute) -> [UInt8] {
        var bytes: [UInt8] = []
        append(name, value, to: &bytes)
        return bytes
    }

    /// The bytes with which all encodings of an attribute of that name begin, and no other
    /// encodings.
    package static func prefix(of name: String) -> [UInt8] {
        var bytes: [UInt8] = []
        append(name.utf8, to: &bytes)
        return bytes
    }

    private static func append(_ name: String, _ value: Attribute, to bytes: inout [UInt8]) {
        append(name.utf8, to: &bytes)
        switch value {
        case .text(let text):
            bytes.append(Kind.text.rawValue)
            append(text.utf8, to: &bytes)
        case .integer(let value):
            bytes.append(Kind.integer.rawValue)
            let bits = UInt64(bitPattern: value)
            for shift in stride(from: 56, through: 0, by: -8) {
                bytes.append(UInt8(truncatingIfNeeded: bits >> UInt64(shift)))
            }
        case .bytes(let value):
            bytes.append(Kind.bytes.rawValue)
            append(value, to: &bytes)
        case .flag(let value):
            bytes.append(value ? Kind.yes.rawValue : Kind.no.rawValue)
        }
    }

    /// Nil for anything that `encode` does not produce.
    package static func decode(_ bytes: [UInt8]) -> Attributes? {
        var reader = Reader(bytes: bytes)
        guard reader.byte() == version else { return nil }
        var attributes = Attributes(minimumCapacity: attributesUsual)
        while !reader.isAtEnd {
            guard let name = reader.text(),
                (try? StoreLimits.check(attributeName: name)) != nil,
                let value = value(from: &reader), attributes.append(name, value)
            else { return nil }
        }
        return attributes
    }

    private static func value(from reader: inout Reader) -> Attribute? {
        switch reader.byte().flatMap(Kind.init) {
        case .text: reader.text().map(Attribute.text)
        case .integer: reader.integer().map(Attribute.integer)
        case .bytes: reader.run().map { .bytes(Array(reader.bytes[$0])) }
        case .no: .flag(false)
        case .yes: .flag(true)
        case nil: nil
        }
    }

    private static func append(_ run: some Collection<UInt8>, to bytes: inout [UInt8]) {
        var rest = run.count
        while rest >= 0x80 {
            bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
            rest >>= 7
        }
        bytes.append(UInt8(rest))
        bytes += run
    }
}

private struct Reader {
    let bytes: [UInt8]
    private var next = 0

    init(bytes: [UInt8]) { self.bytes = bytes }

    var isAtEnd: Bool { next == bytes.count }

    mutating func byte() -> UInt8? {
        guard next < bytes.count else { return nil }
        defer { next += 1 }
        return bytes[next]
    }

    /// A length and as many bytes.
    mutating func run() -> Range<Int>? {
        guard let count = length(), count <= bytes.count - next else { return nil }
        defer { next += count }
        return next..<next + count
    }

    mutating func text() -> String? {
        guard let range = run() else { return nil }
        return String(checkingUTF8: bytes.span.extracting(range))
    }

    mutating func integer() -> Int64? {
        guard bytes.count - next >= 8 else { return nil }
        defer { next += 8 }
        var value: UInt64 = 0
        for place in next..<next + 8 { value = value << 8 | UInt64(bytes[place]) }
        return Int64(bitPattern: value)
    }

    /// At most 28 bits, far more than any item needs. The last byte of a multi-byte number must not
    /// be zero.
    private mutating func length() -> Int? {
        var value = 0
        for shift in stride(from: 0, to: 28, by: 7) {
            guard let byte = byte() else { return nil }
            value |= Int(byte & 0x7F) << shift
            if byte < 0x80 { return byte == 0 && shift > 0 ? nil : value }
        }
        return nil
    }
}

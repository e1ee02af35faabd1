internal import Bytes

/// The attributes of an item as bytes, with one encoding per value:
///
///     version 1 | for each attribute, names ascending: name length, name, kind, value
///
/// A length is an unsigned LEB128 number. A text or bytes value is a length and its bytes, an
/// integer is 8 bytes in big-endian order, a flag is part of its kind.
package enum ItemCodec {
    private static let version: UInt8 = 1
    /// The initial capacities. They are larger than most attributes and most items, because growing
    /// an array copies it.
    private static let attributeBytesUsual = 64
    static let itemBytesUsual = 512

    enum Kind: UInt8 {
        case text = 1
        case integer, bytes, no, yes
    }

    package static func encode(_ attributes: Attributes) -> [UInt8] { attributes.encoding }

    /// The bytes before the first attribute.
    package static let start = [version]

    /// The encoding of one attribute. Each name and value has exactly one encoding.
    package static func encode(_ name: String, _ value: Attribute) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(attributeBytesUsual)
        append(name, value, to: &bytes)
        return bytes
    }

    /// The bytes with which an encoding begins if and only if its attribute has this name.
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
        guard bytes.first == version else { return nil }
        var attributes = EncodedAttributes(bytes)
        var last = 0..<0
        while let next = attributes.next() {
            guard next.hasValidTexts(in: bytes.span),
                bytes.span.extracting(last).precedes(bytes.span.extracting(next.name))
            else { return nil }
            last = next.name
        }
        return attributes.end == bytes.count ? Attributes(encoding: bytes) : nil
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

/// The places of the attributes in an encoding.
struct EncodedAttributes: Sequence, IteratorProtocol {
    private let bytes: [UInt8]
    /// The end of the last attribute.
    private(set) var end = ItemCodec.start.count

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    /// nil at the end of the bytes, or if the next bytes are not the name and the value of an
    /// attribute. Texts are not checked.
    @inline(__always)
    mutating func next() -> EncodedAttribute? {
        guard let next = EncodedAttribute(bytes.span, at: end) else { return nil }
        end = next.end
        return next
    }
}

/// The place of an attribute in an encoding.
struct EncodedAttribute {
    let name: Range<Int>
    let kind: ItemCodec.Kind
    let value: Range<Int>

    var end: Int { value.upperBound }

    @inline(__always)
    fileprivate init?(_ bytes: Span<UInt8>, at start: Int) {
        guard let name = Self.run(bytes, at: start), name.upperBound < bytes.count,
            let kind = ItemCodec.Kind(rawValue: bytes[name.upperBound])
        else { return nil }
        let next = name.upperBound &+ 1
        let value =
            switch kind {
            case .text, .bytes: Self.run(bytes, at: next)
            case .integer: next &+ 8 <= bytes.count ? next..<next &+ 8 : nil
            case .no, .yes: next..<next
            }
        guard let value else { return nil }
        (self.name, self.kind, self.value) = (name, kind, value)
    }

    /// The attribute of that name and its place, or nil and the place to insert one.
    static func find(
        _ name: String, in encoding: [UInt8]
    ) -> (place: Range<Int>, found: EncodedAttribute?) {
        let wanted = name.utf8.span
        var end = ItemCodec.start.count
        for next in EncodedAttributes(encoding) {
            let name = encoding.span.extracting(next.name)
            guard name.precedes(wanted) else {
                return wanted.precedes(name) ? (end..<end, nil) : (end..<next.end, next)
            }
            end = next.end
        }
        return (end..<end, nil)
    }

    /// Whether the name is valid for an attribute, and the value is UTF-8 if it is a text.
    @inline(__always)
    func hasValidTexts(in bytes: Span<UInt8>) -> Bool {
        guard (try? StoreLimits.check(attributeName: bytes.extracting(name))) != nil else {
            return false
        }
        return kind != .text || (try? UTF8Span(validating: bytes.extracting(value))) != nil
    }

    /// nil for a text that is not UTF-8.
    func value(in bytes: [UInt8]) -> Attribute? {
        switch kind {
        case .text: String(checkingUTF8: bytes.span.extracting(value)).map(Attribute.text)
        case .integer: .integer(integer(in: bytes))
        case .bytes: .bytes(Array(bytes[value]))
        case .no: .flag(false)
        case .yes: .flag(true)
        }
    }

    private func integer(in bytes: [UInt8]) -> Int64 {
        var bits: UInt64 = 0
        for place in value { bits = bits << 8 | UInt64(bytes[place]) }
        return Int64(bitPattern: bits)
    }

    /// The place of the bytes after a length, which nearly always has a single byte; nil if there
    /// are too few.
    @inline(__always)
    private static func run(_ bytes: Span<UInt8>, at start: Int) -> Range<Int>? {
        guard start < bytes.count else { return nil }
        var (count, next) = (Int(bytes[start]), start &+ 1)
        if count >= 0x80 {
            guard let long = longLength(bytes, at: start) else { return nil }
            (count, next) = long
        }
        return count <= bytes.count &- next ? next..<next &+ count : nil
    }

    /// A length has at most 35 bits, far more than any item needs. The last byte must not be zero.
    private static func longLength(
        _ bytes: Span<UInt8>, at start: Int
    ) -> (count: Int, next: Int)? {
        var count = 0
        for index in 0..<min(5, bytes.count - start) {
            let byte = bytes[start + index]
            count |= Int(byte & 0x7F) << (7 * index)
            if byte < 0x80 { return byte == 0 ? nil : (count, start + index + 1) }
        }
        return nil
    }
}

extension Span<UInt8> {
    @inline(__always)
    fileprivate func precedes(_ other: Span<UInt8>) -> Bool {
        let common = Swift.min(count, other.count)
        var index = 0
        while index < common {
            if self[index] != other[index] { return self[index] < other[index] }
            index &+= 1
        }
        return count < other.count
    }
}

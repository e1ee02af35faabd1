internal import Bytes

extension CBOR {
    /// Parses exactly one item in the CTAP2 canonical CBOR encoding form (FIDO CTAP 2.1 section 8).
    ///
    /// Each value has one encoding: shortest integers and lengths, definite lengths, sorted and
    /// unique keys. WebAuthn section 2.4 asks decoders to refuse everything else.
    package static func parse(
        _ bytes: [UInt8], limits: CBORLimits
    ) throws(CBORFailure) -> CBOR {
        let (item, end) = try parsePrefix(of: bytes, limits: limits)
        guard end == bytes.count else { throw .trailingBytes(offset: end) }
        return item
    }

    /// Parses one item that begins at `start` and may be followed by other bytes. `end` is the
    /// offset of the byte after it.
    package static func parsePrefix(
        of bytes: [UInt8], from start: Int = 0, limits: CBORLimits
    ) throws(CBORFailure) -> (item: CBOR, end: Int) {
        precondition((0...bytes.count).contains(start))
        guard bytes.count - start <= limits.bytesMax else { throw .tooLarge }
        var parser = CBORParser(bytes: bytes, position: start, limits: limits)
        let item = try parser.item(depth: 0)
        return (item, parser.position)
    }
}

/// Recursive descent; `depthMax` bounds the recursion, and `itemsMax` the memory.
private struct CBORParser {
    let bytes: [UInt8]
    let limits: CBORLimits
    var position: Int
    private var itemsCount = 0

    init(bytes: [UInt8], position: Int, limits: CBORLimits) {
        self.bytes = bytes
        self.position = position
        self.limits = limits
    }

    mutating func item(depth: Int) throws(CBORFailure) -> CBOR {
        let start = position
        itemsCount += 1
        guard itemsCount <= limits.itemsMax else { throw .tooManyItems(offset: start) }
        guard start < bytes.count else { throw .truncated(offset: start) }
        let initial = bytes[start]
        // The major type (RFC 8949 section 3.1).
        switch initial >> 5 {
        case 0: return .unsigned(try argument())
        case 1: return .negative(try argument())
        case 2: return .bytes(Array(try string()))
        case 3:
            let content = try string()
            guard let text = String(checkingUTF8: content.span) else {
                throw .notUTF8(offset: start)
            }
            return .text(text)
        case 4: return .array(try array(depth: depth + 1))
        case 5: return .map(try map(depth: depth + 1))
        default:
            position += 1
            switch initial {
            case 0xF4: return .bool(false)
            case 0xF5: return .bool(true)
            case 0xF6: return .null
            default: throw .unsupported(offset: start)
            }
        }
    }

    /// The argument of the item's head (RFC 8949 section 3), in its shortest form.
    private mutating func argument() throws(CBORFailure) -> UInt64 {
        let start = position
        let information = bytes[start] & 0x1F
        position += 1
        switch information {
        case ..<24: return UInt64(information)
        case 24...27: break
        case 31: throw .indefiniteLength(offset: start)
        default: throw .unsupported(offset: start)
        }
        let width = 1 << Int(information - 24)
        guard bytes.count - position >= width else { throw .truncated(offset: position) }
        let value = bytes[position..<position + width].reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        position += width
        // The first value that needs this width.
        let least: UInt64 = width == 1 ? 24 : 1 << UInt64(width * 4)
        guard value >= least else { throw .notShortest(offset: start) }
        return value
    }

    private mutating func string() throws(CBORFailure) -> ArraySlice<UInt8> {
        let length = try argument()
        guard length <= UInt64(bytes.count - position) else { throw .truncated(offset: position) }
        let start = position
        position += Int(length)
        return bytes[start..<position]
    }

    /// The number of items that follow. Each item has at least one byte, so a number that is too
    /// large is refused before anything is read.
    private mutating func itemCount(each: UInt64) throws(CBORFailure) -> Int {
        let start = position
        let count = try argument()
        guard count <= UInt64(bytes.count - position) / each else {
            throw .truncated(offset: bytes.count)
        }
        guard count * each <= UInt64(limits.itemsMax - itemsCount) else {
            throw .tooManyItems(offset: start)
        }
        return Int(count)
    }

    private mutating func array(depth: Int) throws(CBORFailure) -> [CBOR] {
        guard depth <= limits.depthMax else { throw .tooDeep(offset: position) }
        let count = try itemCount(each: 1)
        var elements: [CBOR] = []
        elements.reserveCapacity(count)
        for _ in 0..<count { elements.append(try item(depth: depth)) }
        return elements
    }

    private mutating func map(depth: Int) throws(CBORFailure) -> CBORMap {
        guard depth <= limits.depthMax else { throw .tooDeep(offset: position) }
        let count = try itemCount(each: 2)
        var entries: [CBORMap.Entry] = []
        entries.reserveCapacity(count)
        var previous: ArraySlice<UInt8> = []
        for _ in 0..<count {
            let start = position
            let key = try item(depth: depth)
            switch key {
            case .unsigned, .negative, .bytes, .text: break
            case .array, .map, .bool, .null: throw .invalidKey(offset: start)
            }
            // The canonical order is by major type, then length, then bytes. That is the order of
            // the encoded keys, because the head of a shortest encoding holds type and length.
            let encoded = bytes[start..<position]
            guard !encoded.elementsEqual(previous) else { throw .duplicateKey(offset: start) }
            guard previous.lexicographicallyPrecedes(encoded) else {
                throw .unsortedKeys(offset: start)
            }
            previous = encoded
            entries.append(CBORMap.Entry(key: key, value: try item(depth: depth)))
        }
        return CBORMap(unique: entries)
    }
}

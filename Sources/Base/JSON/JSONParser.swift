extension JSON {
    /// Parses one document, strictly as RFC 8259.
    ///
    /// The text must be UTF-8, without a byte order mark, lone surrogates and duplicate names: two
    /// parsers that disagree about a duplicate are a vulnerability (RFC 8725 section 2.4). `\u0000`
    /// is accepted; callers that cannot handle it must refuse it.
    package static func parse(
        _ bytes: [UInt8], limits: JSONLimits
    ) throws(JSONFailure) -> JSON {
        guard bytes.count <= limits.bytesMax else { throw .tooLarge }
        var parser = JSONParser(bytes: bytes, limits: limits)
        let value = try parser.value(depth: 0)
        parser.skipSpace()
        guard parser.position == bytes.count else {
            throw .trailingBytes(offset: parser.position)
        }
        return value
    }

    package static func parse(_ text: String, limits: JSONLimits) throws(JSONFailure) -> JSON {
        try parse(Array(text.utf8), limits: limits)
    }
}

/// Recursive descent; `depthMax` bounds the recursion.
struct JSONParser {
    let bytes: [UInt8]
    let limits: JSONLimits
    var position = 0

    /// The initial capacity, so that most objects need one allocation.
    private static let membersExpected = 8

    init(bytes: [UInt8], limits: JSONLimits) {
        self.bytes = bytes
        self.limits = limits
    }

    /// The byte at the position; 0 at the end, which is not a JSON token.
    private var current: UInt8 { position < bytes.count ? bytes[position] : 0 }

    mutating func skipSpace() {
        while position < bytes.count {
            switch bytes[position] {
            case 0x20, 0x0A, 0x0D, 0x09: position += 1
            default: return
            }
        }
    }

    mutating func value(depth: Int) throws(JSONFailure) -> JSON {
        skipSpace()
        switch current {
        case UInt8(ascii: "{"): return .object(try object(depth: depth + 1))
        case UInt8(ascii: "["): return .array(try array(depth: depth + 1))
        case UInt8(ascii: "\""): return .string(try string())
        case UInt8(ascii: "t"): return try word("true", .bool(true))
        case UInt8(ascii: "f"): return try word("false", .bool(false))
        case UInt8(ascii: "n"): return try word("null", .null)
        default: return .number(try number())
        }
    }

    private mutating func object(depth: Int) throws(JSONFailure) -> JSONObject {
        guard depth <= limits.depthMax else { throw .tooDeep(offset: position) }
        position += 1
        var members: [(name: String, value: JSON)] = []
        var names = SeenNames()
        skipSpace()
        if current == UInt8(ascii: "}") {
            position += 1
            return JSONObject(unique: members)
        }
        while true {
            skipSpace()
            let start = position
            guard current == UInt8(ascii: "\"") else { throw .syntax(offset: start) }
            if let limit = limits.membersMax, members.count >= limit {
                throw .tooManyMembers(offset: start)
            }
            let name = try string()
            guard names.insert(name, among: members) else { throw .duplicateName(offset: start) }
            skipSpace()
            guard current == UInt8(ascii: ":") else { throw .syntax(offset: position) }
            position += 1
            if members.isEmpty { members.reserveCapacity(Self.membersExpected) }
            members.append((name, try value(depth: depth)))
            if try isLast(closing: UInt8(ascii: "}")) { return JSONObject(unique: members) }
        }
    }

    private mutating func array(depth: Int) throws(JSONFailure) -> [JSON] {
        guard depth <= limits.depthMax else { throw .tooDeep(offset: position) }
        position += 1
        var elements: [JSON] = []
        skipSpace()
        if current == UInt8(ascii: "]") {
            position += 1
            return elements
        }
        while true {
            elements.append(try value(depth: depth))
            if try isLast(closing: UInt8(ascii: "]")) { return elements }
        }
    }

    /// Consumes the closing bracket (true) or the comma (false) after a member or element.
    private mutating func isLast(closing bracket: UInt8) throws(JSONFailure) -> Bool {
        skipSpace()
        let byte = current
        guard byte == bracket || byte == UInt8(ascii: ",") else { throw .syntax(offset: position) }
        position += 1
        return byte == bracket
    }

    private mutating func word(
        _ word: StaticString, _ value: JSON
    ) throws(JSONFailure) -> JSON {
        for offset in 0..<word.utf8CodeUnitCount {
            guard unsafe current == word.utf8Start[offset] else { throw .syntax(offset: position) }
            position += 1
        }
        return value
    }

    private mutating func number() throws(JSONFailure) -> JSONNumber {
        guard let end = JSONNumber.end(in: bytes, from: position) else {
            throw .syntax(offset: position)
        }
        let text = try text(bytes.span.extracting(position..<end), at: position)
        position = end
        return JSONNumber(checked: text)
    }
}

extension JSONParser {
    /// Most strings have no escape: one scan and one copy suffice.
    private mutating func string() throws(JSONFailure) -> String {
        let start = position + 1
        let end = bytes.span.firstEscaped(from: start)
        position = end
        guard end < bytes.count else { throw .syntax(offset: end) }
        switch bytes[end] {
        case UInt8(ascii: "\""):
            position = end + 1
            return try text(bytes.span.extracting(start..<end), at: start)
        case UInt8(ascii: "\\"): return try stringWithEscapes(from: start)
        default: throw .syntax(offset: end)
        }
    }

    private mutating func stringWithEscapes(from start: Int) throws(JSONFailure) -> String {
        var unescaped: [UInt8] = []
        var copied = start
        while position < bytes.count {
            unescaped += bytes[copied..<position]
            switch bytes[position] {
            case UInt8(ascii: "\""):
                position += 1
                return try text(unescaped.span, at: start)
            case UInt8(ascii: "\\"):
                position += 1
                try appendEscape(to: &unescaped)
            default: throw .syntax(offset: position)
            }
            copied = position
            position = bytes.span.firstEscaped(from: position)
        }
        throw .syntax(offset: position)
    }

    private mutating func appendEscape(to text: inout [UInt8]) throws(JSONFailure) {
        let byte = current
        position += 1
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): text.append(byte)
        case UInt8(ascii: "b"): text.append(0x08)
        case UInt8(ascii: "f"): text.append(0x0C)
        case UInt8(ascii: "n"): text.append(0x0A)
        case UInt8(ascii: "r"): text.append(0x0D)
        case UInt8(ascii: "t"): text.append(0x09)
        case UInt8(ascii: "u"): text.append(contentsOf: try escapedScalar().utf8)
        default: throw .syntax(offset: position - 1)
        }
    }

    /// The character of `XXXX` after `\u`, or of a complete surrogate pair.
    private mutating func escapedScalar() throws(JSONFailure) -> Unicode.Scalar {
        let start = position - 2
        let first = try hexUnit()
        if let scalar = Unicode.Scalar(first) { return scalar }
        guard first < 0xDC00, current == UInt8(ascii: "\\"), position + 1 < bytes.count,
            bytes[position + 1] == UInt8(ascii: "u")
        else { throw .loneSurrogate(offset: start) }
        position += 2
        let second = try hexUnit()
        guard second >= 0xDC00, second < 0xE000,
            let scalar = Unicode.Scalar(
                0x10000 + (UInt32(first) - 0xD800) << 10 + (UInt32(second) - 0xDC00))
        else { throw .loneSurrogate(offset: start) }
        return scalar
    }

    private mutating func hexUnit() throws(JSONFailure) -> UInt16 {
        var unit: UInt16 = 0
        for _ in 0..<4 {
            let digit: UInt8
            switch current {
            case UInt8(ascii: "0")...UInt8(ascii: "9"): digit = current - 0x30
            case UInt8(ascii: "a")...UInt8(ascii: "f"): digit = current - 0x61 + 10
            case UInt8(ascii: "A")...UInt8(ascii: "F"): digit = current - 0x41 + 10
            default: throw .syntax(offset: position)
            }
            unit = unit << 4 | UInt16(digit)
            position += 1
        }
        return unit
    }

    /// This does not use `String(validating:as:)`, which is generic and looks up its own metadata
    /// on each call: ten times slower.
    private func text(_ bytes: Span<UInt8>, at offset: Int) throws(JSONFailure) -> String {
        do throws(UTF8.ValidationError) {
            return String(copying: try UTF8Span(validating: bytes))
        } catch {
            throw .notUTF8(offset: offset)
        }
    }
}

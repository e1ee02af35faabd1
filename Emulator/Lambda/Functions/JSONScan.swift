internal import Bytes

/// Checks that bytes are one JSON document (RFC 8259), without building a tree.
///
/// The payload of an invocation is passed unchanged. It must be JSON, but it may contain things
/// that the JSON parser rejects, such as duplicate names. The scan needs no allocations and no
/// recursion.
struct JSONScan {
    private let bytes: [UInt8]
    private var position = 0

    /// The maximum nesting of arrays and objects, as in Lambda.
    private static let depthMax = 1000

    /// nil for a valid document; otherwise the offset of the error.
    static func failure(in bytes: [UInt8]) -> Int? {
        var scan = JSONScan(bytes: bytes)
        scan.skipBlanks()
        guard scan.document() else { return scan.position }
        scan.skipBlanks()
        return scan.position == bytes.count ? nil : scan.position
    }

    /// The token at an offset, for the error message.
    static func word(at offset: Int, in bytes: [UInt8]) -> String {
        let start = min(offset, bytes.count)
        let word = bytes[start...].prefix(64).prefix { byte in
            byte.isLetterOrDigit || byte == 0x5F || byte >= 0x80
        }
        return String(decoding: word, as: UTF8.self)
    }

    private init(bytes: [UInt8]) { self.bytes = bytes }

    private var byte: UInt8? { position < bytes.count ? bytes[position] : nil }

    private mutating func skipBlanks() {
        while let byte, byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 {
            position += 1
        }
    }

    private mutating func take(_ expected: UInt8) -> Bool {
        guard byte == expected else { return false }
        position += 1
        return true
    }

    /// Scans one value. `open` has the closing brackets of the open levels.
    private mutating func document() -> Bool {
        var open: [UInt8] = []
        while true {
            skipBlanks()
            switch byte {
            case UInt8(ascii: "["):
                position += 1
                open.append(UInt8(ascii: "]"))
                skipBlanks()
                if byte != UInt8(ascii: "]") {
                    guard open.count <= Self.depthMax else { return false }
                    continue
                }
            case UInt8(ascii: "{"):
                position += 1
                open.append(UInt8(ascii: "}"))
                skipBlanks()
                if byte != UInt8(ascii: "}") {
                    guard open.count <= Self.depthMax, name() else { return false }
                    continue
                }
            default:
                guard scalar() else { return false }
            }
            guard let goesOn = afterValue(&open) else { return false }
            if !goesOn { return true }
        }
    }

    /// Closes the levels that end here. Returns true if another value must follow, nil on an error.
    private mutating func afterValue(_ open: inout [UInt8]) -> Bool? {
        while let closing = open.last {
            skipBlanks()
            if take(closing) {
                open.removeLast()
                continue
            }
            guard take(UInt8(ascii: ",")) else { return nil }
            skipBlanks()
            if closing == UInt8(ascii: "}") { return name() ? true : nil }
            return true
        }
        return false
    }

    private mutating func name() -> Bool {
        guard string() else { return false }
        skipBlanks()
        return take(UInt8(ascii: ":"))
    }

    private mutating func scalar() -> Bool {
        switch byte {
        case UInt8(ascii: "\""): string()
        case UInt8(ascii: "t"): literal("true")
        case UInt8(ascii: "f"): literal("false")
        case UInt8(ascii: "n"): literal("null")
        default: number()
        }
    }

    private mutating func literal(_ text: StaticString) -> Bool {
        let start = position
        for expected in "\(text)".utf8 where !take(expected) {
            position = start
            return false
        }
        // A letter or digit would make it a different token, such as "nullx".
        if let byte, byte.isLetterOrDigit {
            position = start
            return false
        }
        return true
    }

    private mutating func string() -> Bool {
        guard take(UInt8(ascii: "\"")) else { return false }
        while let byte {
            position += 1
            switch byte {
            case UInt8(ascii: "\""): return true
            case UInt8(ascii: "\\"): guard escape() else { return false }
            case 0..<0x20: return false
            default: break
            }
        }
        return false
    }

    private mutating func escape() -> Bool {
        guard let byte else { return false }
        position += 1
        if byte == UInt8(ascii: "u") {
            for _ in 0..<4 {
                guard let digit = self.byte, digit.isDigit || digit | 0x20 &- 0x61 < 6 else {
                    return false
                }
                position += 1
            }
            return true
        }
        return "\"\\/bfnrt".utf8.contains(byte)
    }

    private mutating func number() -> Bool {
        _ = take(UInt8(ascii: "-"))
        if !take(UInt8(ascii: "0")) {
            guard digits() else { return false }
        }
        if take(UInt8(ascii: ".")) {
            guard digits() else { return false }
        }
        if take(UInt8(ascii: "e")) || take(UInt8(ascii: "E")) {
            if !take(UInt8(ascii: "+")) { _ = take(UInt8(ascii: "-")) }
            guard digits() else { return false }
        }
        return true
    }

    private mutating func digits() -> Bool {
        let start = position
        while let byte, byte.isDigit { position += 1 }
        return position > start
    }
}

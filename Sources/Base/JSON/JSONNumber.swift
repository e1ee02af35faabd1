/// A number with its original text.
///
/// The text is kept, so that nothing is rounded: `9007199254740993` remains exact, and a signed
/// claim is never compared as a `Double`.
package struct JSONNumber: Sendable {
    package let text: String

    package init(_ value: Int64) { text = String(value) }
    package init(_ value: Int) { text = String(value) }

    /// Parses the RFC 8259 notation of a number; nil for anything else.
    package init?(literal: String) {
        let bytes = Array(literal.utf8)
        guard JSONNumber.end(in: bytes, from: 0) == bytes.count else { return nil }
        text = literal
    }

    /// The parser uses this after it has checked the syntax.
    init(checked text: String) { self.text = text }

    /// The value, if it is written as an integer and fits: no fraction, no exponent.
    package var int64: Int64? { Int64(text) }

    /// The end of the number that begins at `start`, or nil if there is none (RFC 8259 section 6).
    static func end(in text: [UInt8], from start: Int) -> Int? {
        let bytes = text.span
        var position = start
        func skipDigits() -> Bool {
            let first = position
            while position < text.count, text[position] &- 0x30 <= 9 { position += 1 }
            return position > first
        }
        if position < bytes.count, bytes[position] == UInt8(ascii: "-") { position += 1 }
        if position < bytes.count, bytes[position] == UInt8(ascii: "0") {
            position += 1
        } else if !skipDigits() {
            return nil
        }
        if position < bytes.count, bytes[position] == UInt8(ascii: ".") {
            position += 1
            guard skipDigits() else { return nil }
        }
        if position < bytes.count, bytes[position] | 0x20 == UInt8(ascii: "e") {
            position += 1
            if position < bytes.count,
                bytes[position] == UInt8(ascii: "+") || bytes[position] == UInt8(ascii: "-")
            {
                position += 1
            }
            guard skipDigits() else { return nil }
        }
        return position
    }
}

extension JSONNumber: Equatable {
    /// Compares the notation: `1` and `1.0` differ, as they do for `int64`.
    package static func == (left: JSONNumber, right: JSONNumber) -> Bool {
        left.text.hasSameBytes(as: right.text)
    }
}

internal import Bytes

/// Parses the subset of XML 1.0 that the AWS query protocol uses: elements, attributes, text, the
/// five named entities and character references.
struct XMLReader {
    private let bytes: [UInt8]
    private var position = 0
    private var elementCount = 0
    private let limits: XMLLimits

    init(_ bytes: [UInt8], limits: XMLLimits) {
        self.bytes = bytes
        self.limits = limits
    }

    mutating func document() throws(XMLFailure) -> XMLElement {
        if starts(with: "<?xml ") { try skip(past: "?>") }
        skipSpace()
        // A stack instead of recursion, because the depth is untrusted input.
        var open: [XMLElement] = []
        while true {
            if starts(with: "</") {
                position += 2
                guard let closed = open.popLast() else { throw .malformed }
                guard try name().utf8.elementsEqual(closed.name.utf8) else { throw .malformed }
                skipSpace()
                try take(">")
                if let root = try finish(closed, in: &open) { return root }
            } else if peek() == UInt8(ascii: "<") {
                guard open.count < limits.depthMax else { throw .tooDeep }
                let (element, isEmpty) = try startTag()
                if !isEmpty {
                    open.append(element)
                } else if let root = try finish(element, in: &open) {
                    return root
                }
            } else {
                guard !open.isEmpty else { throw .malformed }
                open[open.count - 1].text += try text()
            }
        }
    }

    /// Returns the root element if it is complete.
    private mutating func finish(
        _ element: XMLElement, in open: inout [XMLElement]
    ) throws(XMLFailure) -> XMLElement? {
        var element = element
        if !element.children.isEmpty {
            // Text between children must be white space.
            guard element.text.utf8.allSatisfy(\.isSpace) else { throw .malformed }
            element.text = ""
        }
        guard open.isEmpty else {
            open[open.count - 1].children.append(element)
            return nil
        }
        skipSpace()
        guard position == bytes.count else { throw .malformed }
        return element
    }

    private mutating func startTag() throws(XMLFailure) -> (XMLElement, isEmpty: Bool) {
        try take("<")
        guard peek() != UInt8(ascii: "!"), peek() != UInt8(ascii: "?") else { throw .unsupported }
        elementCount += 1
        guard elementCount <= limits.elementsMax else { throw .tooManyElements }
        let element = XMLElement(name: try name())
        while true {
            let hadSpace = skipSpace()
            if starts(with: "/>") {
                position += 2
                return (element, true)
            }
            if peek() == UInt8(ascii: ">") {
                position += 1
                return (element, false)
            }
            guard hadSpace else { throw .malformed }
            try attribute()
        }
    }

    private mutating func attribute() throws(XMLFailure) {
        _ = try name()
        skipSpace()
        try take("=")
        skipSpace()
        guard let quote = peek(), quote == UInt8(ascii: "\"") || quote == UInt8(ascii: "'") else {
            throw .malformed
        }
        position += 1
        while let byte = peek(), byte != quote {
            guard byte != UInt8(ascii: "<") else { throw .malformed }
            position += 1
        }
        try take(String(UnicodeScalar(quote)))
    }

    private mutating func text() throws(XMLFailure) -> String {
        var text: [UInt8] = []
        while let byte = peek(), byte != UInt8(ascii: "<") {
            if byte == UInt8(ascii: "&") {
                text += Array(String(try reference()).utf8)
            } else {
                guard byte >= 0x20 || byte.isSpace else { throw .malformed }
                text.append(byte)
                position += 1
            }
        }
        guard position < bytes.count else { throw .malformed }
        return String(decoding: text, as: UTF8.self)
    }

    private mutating func reference() throws(XMLFailure) -> UnicodeScalar {
        // The longest reference is `&#1114111;`.
        let window = bytes[position..<min(position + 10, bytes.count)]
        guard let end = window.firstIndex(of: UInt8(ascii: ";")) else { throw .malformed }
        let body = String(decoding: bytes[(position + 1)..<end], as: UTF8.self)
        position = end + 1
        switch body {
        case "amp": return "&"
        case "lt": return "<"
        case "gt": return ">"
        case "quot": return "\""
        case "apos": return "'"
        default:
            guard let scalar = Self.numeric(body), Self.isCharacter(scalar) else {
                throw .malformed
            }
            return scalar
        }
    }

    private static func numeric(_ body: String) -> UnicodeScalar? {
        guard body.hasPrefix("#") else { return nil }
        let isHexadecimal = body.hasPrefix("#x")
        let digits = body.dropFirst(isHexadecimal ? 2 : 1)
        // `UInt32("+3")` is 3, so refuse the sign.
        guard digits.utf8.first != UInt8(ascii: "+") else { return nil }
        return UInt32(digits, radix: isHexadecimal ? 16 : 10).flatMap { UnicodeScalar($0) }
    }

    // The characters that XML 1.0 section 2.2 allows.
    private static func isCharacter(_ scalar: UnicodeScalar) -> Bool {
        switch scalar.value {
        case 0x09, 0x0A, 0x0D, 0x20...0xD7FF, 0xE000...0xFFFD, 0x10000...0x10FFFF: true
        default: false
        }
    }

    // The supported protocols use ASCII names only.
    private mutating func name() throws(XMLFailure) -> String {
        let start = position
        while let byte = peek(), Self.isNameByte(byte) { position += 1 }
        guard position > start, position - start <= 128, !Self.isDigit(bytes[start]) else {
            throw .malformed
        }
        return String(decoding: bytes[start..<position], as: UTF8.self)
    }

    private static func isDigit(_ byte: UInt8) -> Bool {
        byte.isDigit || byte == UInt8(ascii: "-") || byte == UInt8(ascii: ".")
    }

    private static func isNameByte(_ byte: UInt8) -> Bool {
        byte.isLetterOrDigit || "_:-.".utf8.contains(byte)
    }

    private func peek() -> UInt8? { position < bytes.count ? bytes[position] : nil }

    private func starts(with text: String) -> Bool { bytes[position...].starts(with: text.utf8) }

    private mutating func take(_ text: String) throws(XMLFailure) {
        guard starts(with: text) else { throw .malformed }
        position += text.utf8.count
    }

    private mutating func skip(past text: String) throws(XMLFailure) {
        while position < bytes.count, !starts(with: text) { position += 1 }
        try take(text)
    }

    @discardableResult
    private mutating func skipSpace() -> Bool {
        let start = position
        while let byte = peek(), byte.isSpace { position += 1 }
        return position > start
    }
}

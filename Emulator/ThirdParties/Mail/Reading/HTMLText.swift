internal import Bytes
internal import EmulatorBase

/// Extracts text from HTML, for previews, links and codes. This is not a full parser, but its
/// result is never shown as markup.
enum HTMLText {
    private static let bytesMax = 2 << 20
    private static let silent: Set = ["style", "script", "head", "title", "template"]
    private static let breaking: Set = [
        "br", "p", "div", "tr", "li", "ul", "ol", "table", "h1", "h2", "h3", "h4", "h5", "h6",
        "td", "th", "blockquote", "hr", "section", "header", "footer", "article",
    ]

    /// The text outside of tags.
    static func plain(_ html: String) -> String {
        var text: [UInt8] = []
        var silentUntil: String?
        scan(html) { piece in
            switch piece {
            case .text(let bytes):
                if silentUntil == nil { text += bytes.map { $0.isSpace ? 0x20 : $0 } }
            case .tag(let name, _, let isEnd):
                if let until = silentUntil {
                    if isEnd && until == name { silentUntil = nil }
                } else if silent.contains(name) && !isEnd {
                    silentUntil = name
                } else if breaking.contains(name) {
                    text.append(0x0A)
                }
            }
        }
        let decoded = decodeEntities(String(decoding: text, as: UTF8.self))
        let lines = decoded.utf8.split(separator: 0x0A).compactMap { line -> String? in
            let words = line.split(separator: 0x20).map {
                String(decoding: Array($0), as: UTF8.self)
            }
            return words.isEmpty ? nil : words.joined(separator: " ")
        }
        return lines.joined(separator: "\n")
    }

    /// The `href`s of `a` and `area` elements, in order.
    static func references(_ html: String) -> [String] {
        var found: [String] = []
        scan(html) { piece in
            guard case .tag(let name, let attributes, false) = piece,
                name == "a" || name == "area", let href = attribute("href", in: attributes)
            else { return }
            found.append(decodeEntities(href).trimmed)
        }
        return found
    }

    private enum Piece {
        case text(ArraySlice<UInt8>)
        case tag(String, ArraySlice<UInt8>, isEnd: Bool)
    }

    private static func scan(_ html: String, _ take: (Piece) -> Void) {
        let bytes = Array(html.utf8.prefix(bytesMax))
        var at = 0
        while at < bytes.count {
            guard let open = bytes[at...].firstIndex(of: UInt8(ascii: "<")) else {
                return take(.text(bytes[at...]))
            }
            if open > at { take(.text(bytes[at..<open])) }
            if bytes[open...].starts(with: "<!--".utf8) {
                at = bytes.firstRange(of: Array("-->".utf8), from: open)?.upperBound ?? bytes.count
                continue
            }
            var start = open + 1
            let isEnd = start < bytes.count && bytes[start] == UInt8(ascii: "/")
            if isEnd { start += 1 }
            let name = bytes[start...].prefix { $0.isLetter || $0.isDigit }
            // A plain `<`, neither a tag nor a declaration.
            guard start < bytes.count, !name.isEmpty || bytes[start] == UInt8(ascii: "!") else {
                take(.text(bytes[open..<(open + 1)]))
                at = open + 1
                continue
            }
            let end = tagEnd(bytes, name.endIndex)
            take(
                .tag(
                    String(decoding: name, as: UTF8.self).asciiLowercased,
                    bytes[name.endIndex..<end], isEnd: isEnd))
            at = min(end + 1, bytes.count)
        }
    }

    /// The closing `>`, ignoring any in quoted attribute values.
    private static func tagEnd(_ bytes: [UInt8], _ start: Int) -> Int {
        var quote: UInt8?
        for at in start..<bytes.count {
            let byte = bytes[at]
            if let open = quote {
                if byte == open { quote = nil }
            } else if byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "'") {
                quote = byte
            } else if byte == UInt8(ascii: ">") {
                return at
            }
        }
        return bytes.count
    }

    private static func attribute(_ wanted: String, in attributes: ArraySlice<UInt8>) -> String? {
        var at = attributes.startIndex
        while at < attributes.endIndex {
            while at < attributes.endIndex, attributes[at].isSpace || attributes[at] == 0x2F {
                at += 1
            }
            let name = attributes[at...].prefix { !$0.isSpace && $0 != 0x3D }
            at = name.endIndex
            while at < attributes.endIndex, attributes[at].isSpace { at += 1 }
            guard at < attributes.endIndex, attributes[at] == 0x3D else {
                if name.isEmpty { return nil }
                continue
            }
            at += 1
            while at < attributes.endIndex, attributes[at].isSpace { at += 1 }
            guard at < attributes.endIndex else { return nil }
            let quote = attributes[at]
            let value: ArraySlice<UInt8>
            if quote == UInt8(ascii: "\"") || quote == UInt8(ascii: "'") {
                value = attributes[(at + 1)...].prefix { $0 != quote }
                at = min(value.endIndex + 1, attributes.endIndex)
            } else {
                value = attributes[at...].prefix { !$0.isSpace }
                at = value.endIndex
            }
            if String(decoding: name, as: UTF8.self).equalsIgnoringCase(wanted) {
                return String(decoding: value, as: UTF8.self)
            }
        }
        return nil
    }

    private static let entities: [String: String] = [
        "amp": "&", "lt": "<", "gt": ">", "quot": "\"", "apos": "'", "nbsp": " ", "copy": "©",
        "ndash": "–", "mdash": "—", "hellip": "…", "rsquo": "’", "lsquo": "‘", "ldquo": "“",
        "rdquo": "”", "zwnj": "", "shy": "",
    ]

    static func decodeEntities(_ text: String) -> String {
        let bytes = Array(text.utf8)
        var decoded: [UInt8] = []
        var at = 0
        while at < bytes.count {
            if bytes[at] == UInt8(ascii: "&"),
                let end = bytes[at...].prefix(12).firstIndex(of: UInt8(ascii: ";")),
                let character = entity(bytes[(at + 1)..<end])
            {
                decoded += character.utf8
                at = end + 1
            } else {
                decoded.append(bytes[at])
                at += 1
            }
        }
        return String(decoding: decoded, as: UTF8.self)
    }

    private static func entity(_ name: ArraySlice<UInt8>) -> String? {
        let text = String(decoding: name, as: UTF8.self)
        guard name.first == UInt8(ascii: "#") else { return entities[text] }
        let digits = text.dropFirst()
        let isHex = digits.utf8.first.map { $0 | 0x20 } == UInt8(ascii: "x")
        let number = isHex ? UInt32(digits.dropFirst(), radix: 16) : UInt32(digits)
        guard let number, let scalar = Unicode.Scalar(number) else { return nil }
        return number == 0xA0 ? " " : String(scalar)
    }
}

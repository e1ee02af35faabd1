internal import Bytes
internal import Time

/// One template file: paragraphs of text with placeholders `{{name}}`.
///
/// Paragraphs are separated by empty lines. A paragraph with a placeholder for which the mail has
/// no value is omitted. There is no other syntax.
struct MailTemplate: Equatable, Sendable {
    enum Piece: Equatable, Sendable {
        case text(String)
        case value(String)
    }

    enum Form: Sendable {
        case text, html
    }

    struct Problem: Error, Equatable, Sendable {
        let line: Int
        let reason: String
    }

    let paragraphs: [[Piece]]

    var names: Set<String> {
        var names: Set<String> = []
        for case .value(let name) in paragraphs.joined() { names.insert(name) }
        return names
    }

    /// - Parameters:
    ///   - firstLine: the line of the file where the text begins.
    ///   - allowed: the names of the allowed placeholders.
    init(_ text: String, firstLine: Int = 1, allowed: Set<String>) throws(Problem) {
        var paragraphs: [[Piece]] = []
        var lines: [String] = []
        var start = firstLine
        func finish() throws(Problem) {
            guard !lines.isEmpty else { return }
            paragraphs.append(
                try Self.pieces(lines.joined(separator: "\n"), line: start, allowed))
            lines = []
        }
        let all = text.utf8.split(separator: 0x0A, omittingEmptySubsequences: false)
        for (index, bytes) in all.enumerated() {
            var line = Substring(bytes)
            if line.utf8.last == 0x0D { line = line.dropLast() }
            if line.utf8.allSatisfy(\.isBlank) {
                try finish()
            } else {
                if lines.isEmpty { start = firstLine + index }
                lines.append(String(line))
            }
        }
        try finish()
        self.paragraphs = paragraphs
    }

    private static func pieces(
        _ text: String, line: Int, _ allowed: Set<String>
    ) throws(Problem) -> [Piece] {
        var pieces: [Piece] = []
        var rest = Substring(text)
        var line = line
        while let open = rest.utf8.firstOccurrence(of: "{{") {
            let before = rest[..<open.lowerBound]
            line += before.utf8.count { $0 == 0x0A }
            if !before.isEmpty { pieces.append(.text(String(before))) }
            let inside = rest[open.upperBound...]
            guard let close = inside.utf8.firstOccurrence(of: "}}") else {
                throw Problem(line: line, reason: "{{ without }}")
            }
            let name = String(inside[..<close.lowerBound])
            guard allowed.contains(name) else {
                let isName = name.utf8.count <= 32 && name.utf8.allSatisfy(\.isLetter)
                throw Problem(
                    line: line, reason: isName ? "unknown value {{\(name)}}" : "unknown value")
            }
            pieces.append(.value(name))
            rest = inside[close.upperBound...]
        }
        if !rest.isEmpty { pieces.append(.text(String(rest))) }
        return pieces
    }

    /// - Parameter values: the values to insert, already escaped.
    func render(_ values: [String: String]) -> String {
        var output = ""
        for paragraph in paragraphs {
            guard let text = Self.render(paragraph, values) else { continue }
            if !output.isEmpty { output += "\n\n" }
            output += text
        }
        return output + "\n"
    }

    private static func render(_ paragraph: [Piece], _ values: [String: String]) -> String? {
        var output = ""
        for piece in paragraph {
            switch piece {
            case .text(let text): output += text
            case .value(let name):
                guard let value = values[name] else { return nil }
                output += value
            }
        }
        return output
    }
}

/// Values that are safe in a message.
enum MailValue {
    /// The maximum length of the names of users and devices, which users choose.
    private static let chosenScalarsMax = 64
    private static let scalarsMax = 200
    private static let linkBytesMax = 2000

    /// The value on one line, of limited length; nil for an invalid link.
    static func plain(_ value: String, named name: String) -> String? {
        if name == "link" || name == "undo" { return isLink(value) ? value : nil }
        let max = name == "name" || name == "device" ? chosenScalarsMax : scalarsMax
        let line = PlainText.line(value)
        guard line.unicodeScalars.count > max else { return line }
        return String(String.UnicodeScalarView(line.unicodeScalars.prefix(max - 1))) + "…"
    }

    /// The time as on the pages, `12 Mar 2026, 19:03 UTC` or `12.03.2026, 19:03 UTC`; in further
    /// languages `2026-03-12, 19:03 UTC`. Operations and hooks use ISO 8601.
    static func minute(_ time: Instant, in language: String) -> String {
        switch language {
        case "en":
            let day = time.text("%d %b %Y")
            return (day.hasPrefix("0") ? String(day.dropFirst()) : day) + time.text(", %H:%M UTC")
        case "de": return time.text("%d.%m.%Y, %H:%M UTC")
        default: return time.text("%Y-%m-%d, %H:%M UTC")
        }
    }

    /// Escapes a text for elements, and for attributes in single or double quotation marks.
    static func escapedForHTML(_ text: String) -> String {
        var output = ""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "&": output += "&amp;"
            case "<": output += "&lt;"
            case ">": output += "&gt;"
            case "\"": output += "&quot;"
            case "'": output += "&#39;"
            default: output.unicodeScalars.append(scalar)
            }
        }
        return output
    }

    /// Accepts URLs with an authority: `https`, or the scheme of an app, but not `javascript:` or
    /// `data:`.
    private static func isLink(_ text: String) -> Bool {
        guard text.utf8.count <= linkBytesMax,
            text.utf8.allSatisfy({ (0x21...0x7E).contains($0) && !"\"<>\\^`{|}".utf8.contains($0) }
            ),
            let end = text.utf8.firstOccurrence(of: "://")?.lowerBound
        else { return false }
        let scheme = text.utf8[..<end]
        guard let first = scheme.first, first.isLetter else { return false }
        let isScheme = scheme.allSatisfy { byte in
            byte.isLetterOrDigit || "+-.".utf8.contains(byte)
        }
        return isScheme
            && !["javascript", "data", "vbscript"].contains(
                String(Substring(scheme)).lowercased())
    }
}

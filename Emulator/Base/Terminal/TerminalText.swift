/// Escapes untrusted text, so that it cannot control the terminal: control characters and
/// characters that reverse the writing direction are written as JSON escapes.
package enum TerminalText {
    /// Keeps tabs, which only move the cursor to the right.
    package static func line(_ text: String) -> String {
        text.utf8.split(separator: UInt8(ascii: "\t"), omittingEmptySubsequences: false)
            .map { escaped(String(Substring($0))) }.joined(separator: "\t")
    }

    /// Escapes a JSON document without changing its meaning: control characters occur only in its
    /// strings.
    package static func json(_ text: String) -> String { escaped(text) }

    private static func escaped(_ text: String) -> String {
        guard text.unicodeScalars.contains(where: isUnsafe) else { return text }
        var safe = String.UnicodeScalarView()
        for scalar in text.unicodeScalars {
            guard isUnsafe(scalar) else {
                safe.append(scalar)
                continue
            }
            for unit in String(scalar).utf16 {
                let digits = String(unit, radix: 16)
                let zeros = String(repeating: "0", count: 4 - digits.count)
                safe.append(contentsOf: "\\u\(zeros)\(digits)".unicodeScalars)
            }
        }
        return String(safe)
    }

    private static func isUnsafe(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator, .privateUse, .surrogate: true
        default: false
        }
    }
}

/// Text from outside, so that it cannot control the terminal: what moves the cursor, changes colours
/// or reverses the direction of writing is written as an escape of JSON.
package enum TerminalText {
    /// With its tabs, which move the cursor to the right alone.
    package static func line(_ text: String) -> String {
        text.utf8.split(separator: UInt8(ascii: "\t"), omittingEmptySubsequences: false)
            .map { escaped(String(Substring($0))) }.joined(separator: "\t")
    }

    /// The text of a JSON document, which remains the same document: control characters can only be
    /// in its strings.
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

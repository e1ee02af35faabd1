/// Text that is safe in a message: without control characters and bidirectional overrides.
enum PlainText {
    /// The text on one line, trimmed.
    static func line(_ text: String) -> String {
        var scalars = String.UnicodeScalarView()
        for scalar in text.unicodeScalars {
            guard isHarmless(scalar) else {
                // Each run of removed white space becomes one space.
                if scalar.properties.isWhitespace || scalar.value == 0, scalars.last != " " {
                    scalars.append(" ")
                }
                continue
            }
            scalars.append(scalar)
        }
        while scalars.last == " " { scalars.removeLast() }
        return String(String.UnicodeScalarView(scalars.drop { $0 == " " }))
    }

    private static func isHarmless(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .control, .lineSeparator, .paragraphSeparator, .surrogate: false
        // Bidirectional embeddings, overrides and isolates (UAX #9): a name could reverse the text
        // of a link.
        case .format:
            !(0x202A...0x202E).contains(scalar.value)
                && !(0x2066...0x2069).contains(scalar.value)
        default: true
        }
    }
}

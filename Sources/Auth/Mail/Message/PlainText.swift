/// Text as it may stand in a message: without what moves a cursor or turns the direction of
/// reading.
enum PlainText {
    /// On one line, without spaces at its ends.
    static func line(_ text: String) -> String {
        var scalars = String.UnicodeScalarView()
        for scalar in text.unicodeScalars {
            guard isHarmless(scalar) else {
                // One space for any run of what is left out.
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
        // Marks that change the direction of what follows (UAX #9): a name could turn a link round.
        case .format:
            !(0x202A...0x202E).contains(scalar.value)
                && !(0x2066...0x2069).contains(scalar.value)
        default: true
        }
    }
}

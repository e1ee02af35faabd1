/// A user's name, sanitised for display only.
package struct PersonName: Equatable, Sendable {
    package static let partCharactersMax = 100
    package static let wholeCharactersMax = 255

    package let given: String?
    package let family: String?

    package init(given: String?, family: String?) {
        self.given = given.flatMap(Self.cleaned)
        self.family = family.flatMap(Self.cleaned)
    }

    /// A full name as one text.
    package init(whole: String) {
        given = Self.cleaned(whole, charactersMax: Self.wholeCharactersMax)
        family = nil
    }

    package var displayName: String? {
        let parts = [given, family].compactMap { $0 }
        return parts.isEmpty ? nil : parts.joined(separator: " ")
    }

    /// Control characters and bidirectional overrides could make one name look like another.
    package static func cleaned(_ raw: String) -> String? {
        cleaned(raw, charactersMax: partCharactersMax)
    }

    private static func cleaned(_ raw: String, charactersMax: Int) -> String? {
        let kept = raw.unicodeScalars.prefix(charactersMax * 4).filter { scalar in
            switch scalar.properties.generalCategory {
            case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate, .unassigned:
                scalar.value == 0x200D  // used in emoji and some scripts
            default: true
            }
        }
        let text = String(String.UnicodeScalarView(kept)).prefix(charactersMax)
        let trimmed = text.drop { $0.isWhitespace || $0.isInvisible }
        let end = trimmed.lastIndex { !$0.isWhitespace && !$0.isInvisible }
        return end.map { String(trimmed[...$0]) }
    }
}

extension Character {
    /// Whether the character consists only of zero-width joiners.
    fileprivate var isInvisible: Bool { unicodeScalars.allSatisfy { $0.value == 0x200D } }
}

/// A name as its owner gave it, fit to be shown and nothing else.
package struct PersonName: Equatable, Sendable {
    package static let partCharactersMax = 100
    package static let wholeCharactersMax = 255

    package let given: String?
    package let family: String?

    package init(given: String?, family: String?) {
        self.given = given.flatMap(Self.cleaned)
        self.family = family.flatMap(Self.cleaned)
    }

    /// A name that was given as one text.
    package init(whole: String) {
        given = Self.cleaned(whole, charactersMax: Self.wholeCharactersMax)
        family = nil
    }

    package var displayName: String? {
        let parts = [given, family].compactMap { $0 }
        return parts.isEmpty ? nil : parts.joined(separator: " ")
    }

    /// Control characters and direction overrides would let one name pose as another.
    package static func cleaned(_ raw: String) -> String? {
        cleaned(raw, charactersMax: partCharactersMax)
    }

    private static func cleaned(_ raw: String, charactersMax: Int) -> String? {
        let kept = raw.unicodeScalars.prefix(charactersMax * 4).filter { scalar in
            switch scalar.properties.generalCategory {
            case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate, .unassigned:
                scalar.value == 0x200D  // joins emoji and some scripts
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
    /// Nothing but joiners, which join nothing here.
    fileprivate var isInvisible: Bool { unicodeScalars.allSatisfy { $0.value == 0x200D } }
}

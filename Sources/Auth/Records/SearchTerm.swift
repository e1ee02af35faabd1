package import AuthDomain
internal import Bytes

/// What an account is found by: its address, or a word of its name, in lower case.
package struct SearchTerm: Hashable, Sendable {
    package static let charactersMin = 2
    /// Longer terms are cut: a key has a maximum.
    private static let charactersMax = 64
    private static let wordsMax = 4

    package let text: String

    /// The beginning of a term, as an administrator types it. nil if it is too short.
    package init?(typed: String) {
        let text = Self.folded(typed)
        guard text.unicodeScalars.count >= Self.charactersMin else { return nil }
        self.text = text
    }

    /// Accounts are found from the second character on, so rows with the same two are together.
    package var partition: String {
        "SEARCH#" + String(String.UnicodeScalarView(text.unicodeScalars.prefix(Self.charactersMin)))
    }

    /// The terms of an account; a guest has none.
    package static func all(of user: User) -> Set<SearchTerm> {
        let words = (user.displayName ?? "").split(separator: " ").prefix(wordsMax).map(String.init)
        // The whole name, too, so that the second word narrows the first.
        let names = words.count > 1 ? words + [words.joined(separator: " ")] : words
        let addresses = [user.email, user.login].compactMap(\.self)
        return Set((names + addresses).compactMap(SearchTerm.init(typed:)))
    }

    /// Without `#`, which ends the term in keys, and control characters.
    private static func folded(_ text: String) -> String {
        let kept = text.lowercased().unicodeScalars.filter { !$0.isControl && $0 != "#" }
        let trimmed = String(String.UnicodeScalarView(kept)).split(separator: " ")
            .joined(separator: " ")
        return String(String.UnicodeScalarView(trimmed.unicodeScalars.prefix(charactersMax)))
    }
}

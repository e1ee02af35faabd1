package import AuthDomain
internal import Bytes

/// A text by which an account is found: its address, or a word of its name, in lower case.
package struct SearchTerm: Sendable {
    package static let charactersMin = 2
    /// Longer terms are cut, because keys have a maximum length.
    private static let charactersMax = 64
    private static let wordsMax = 4

    package let text: String

    /// The beginning of a term, as an administrator types it. nil if it is too short.
    package init?(typed: String) {
        let text = Self.folded(typed)
        guard text.unicodeScalars.count >= Self.charactersMin else { return nil }
        self.text = text
    }

    /// Accounts can be found by two characters, so rows with the same first two characters are in
    /// one partition.
    package var partition: String {
        var beginning = "SEARCH#"
        var scalars = text.unicodeScalars.makeIterator()
        for _ in 0..<Self.charactersMin {
            if let scalar = scalars.next() { beginning.unicodeScalars.append(scalar) }
        }
        return beginning
    }

    /// The terms of an account, each once; a guest has none.
    ///
    /// This uses no sets and substrings: the first use of each makes a sign-in look up
    /// conformances.
    package static func all(of user: User) -> [SearchTerm] {
        let words = words(of: user.displayName ?? "")
        var texts = words
        // The whole name is also a term, so that the second word of a search narrows the result.
        if words.count > 1 { texts.append(words.dropFirst().reduce(words[0]) { $0 + " " + $1 }) }
        for address in [user.email, user.login] {
            if let address { texts.append(address) }
        }
        var terms: [SearchTerm] = []
        for text in texts {
            guard let term = SearchTerm(typed: text), !term.isIn(terms) else { continue }
            terms.append(term)
        }
        return terms
    }

    package func isIn(_ terms: [SearchTerm]) -> Bool {
        terms.contains { $0.text.isSame(as: text) }
    }

    private static func words(of name: String) -> [String] {
        var words: [String] = []
        var word = String.UnicodeScalarView()
        for scalar in name.unicodeScalars {
            guard scalar == " " else {
                word.append(scalar)
                continue
            }
            if !word.isEmpty { words.append(String(word)) }
            word = String.UnicodeScalarView()
        }
        if !word.isEmpty { words.append(String(word)) }
        if words.count > wordsMax { words.removeLast(words.count - wordsMax) }
        return words
    }

    /// The term in lower case, with one space between words, without control characters, and
    /// without `#`, which ends the term in keys.
    private static func folded(_ text: String) -> String {
        var folded = String.UnicodeScalarView()
        var count = 0
        var isBetweenWords = false
        for scalar in text.lowercased().unicodeScalars where !scalar.isControl && scalar != "#" {
            if scalar == " " {
                isBetweenWords = count > 0
                continue
            }
            if isBetweenWords, count < charactersMax {
                folded.append(" ")
                count += 1
                isBetweenWords = false
            }
            guard count < charactersMax else { break }
            folded.append(scalar)
            count += 1
        }
        return String(folded)
    }
}

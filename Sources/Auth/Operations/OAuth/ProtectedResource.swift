internal import Bytes

/// A server for which clients can get access tokens (RFC 8707).
package struct ProtectedResource: Equatable, Sendable {
    /// Its absolute URI, which is the audience of the tokens.
    package let uri: String
    /// By language.
    package let name: [String: String]
    package let scopes: [ScopeWord]

    package struct ScopeWord: Equatable, Sendable {
        package let word: String
        /// What it means, by language.
        package let meaning: [String: String]

        package init(word: String, meaning: [String: String]) {
            self.word = word
            self.meaning = meaning
        }
    }

    package init(uri: String, name: [String: String], scopes: [ScopeWord]) {
        self.uri = uri
        self.name = name
        self.scopes = scopes
    }

    package func has(_ word: String) -> Bool { scopes.contains { $0.word.isSame(as: word) } }
}

extension [String: String] {
    /// The text in the language, or in English, or in any.
    package func text(in language: String) -> String? {
        self[language] ?? self["en"] ?? self.min { $0.key < $1.key }?.value
    }
}

internal import Bytes
package import HTML

/// The key of a text: the number of its line in the file of each language.
package protocol TextKey: RawRepresentable<Int>, CaseIterable, Sendable {
    static func texts(in language: PageLanguage) -> Texts<Self>
}

/// The texts of one language.
package final class Texts<Key: TextKey>: Sendable {
    package let language: PageLanguage
    /// The texts, in the order of the keys.
    private let lines: [ArraySlice<UInt8>]

    package init(_ language: PageLanguage, _ file: [UInt8]) {
        self.language = language
        lines = file.split(separator: UInt8(ascii: "\n"))
    }

    /// - Parameter values: the values of the placeholders. They are plain text: the code that
    ///   writes markup escapes the whole text.
    package func callAsFunction(
        _ text: Key, _ values: [(name: String, value: String)] = []
    ) -> String {
        var filled = String(decoding: parts(text).text, as: UTF8.self)
        for (name, value) in values { filled = Self.filled(filled, name, value) }
        return filled
    }

    /// - Parameter values: the values of the placeholders, as markup.
    package func html(_ text: Key, _ values: [(name: String, value: HTML)]) -> HTML {
        let escaped: HTML = "\(self(text))"
        var filled = escaped.text
        for (name, value) in values { filled = Self.filled(filled, name, value.text) }
        return HTML(trusted: filled)
    }

    /// The name of the key in the file.
    package func key(_ text: Key) -> String {
        String(decoding: parts(text).key, as: UTF8.self)
    }

    package var count: Int { lines.count }

    /// A line is `key = text`.
    private func parts(_ text: Key) -> (key: ArraySlice<UInt8>, text: ArraySlice<UInt8>) {
        let line = lines[text.rawValue]
        let equals = line.firstIndex(of: UInt8(ascii: "=")) ?? line.startIndex
        return (line[..<equals].dropLast(), line[equals...].dropFirst(2))
    }

    private static func filled(_ text: String, _ name: String, _ value: String) -> String {
        let mark = "{\(name)}"
        var (filled, rest) = ("", text[...])
        while let place = rest.utf8.firstOccurrence(of: mark) {
            filled += rest[..<place.lowerBound] + value
            rest = rest[place.upperBound...]
        }
        return filled + rest
    }
}

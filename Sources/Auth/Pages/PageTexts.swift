internal import Bytes
internal import HTTP

/// The texts of one language.
package final class PageTexts: Sendable {
    let language: String
    /// In the order of `PageText`.
    private let lines: [ArraySlice<UInt8>]

    package static let english = PageTexts("en", PackageResources.en_txt)
    package static let german = PageTexts("de", PackageResources.de_txt)

    /// - Parameter wish: an `Accept-Language` header.
    static func preferred(by wish: String?) -> PageTexts {
        let language = LanguagePreference(header: wish).choose(
            among: [english.language, german.language], otherwise: english.language)
        return language == german.language ? german : english
    }

    private init(_ language: String, _ file: [UInt8]) {
        self.language = language
        lines = file.split(separator: UInt8(ascii: "\n"))
    }

    /// - Parameter values: of the placeholders. They are plain text: the code that writes markup
    ///   escapes the whole.
    package func callAsFunction(
        _ text: PageText, _ values: [(name: String, value: String)] = []
    ) -> String {
        var filled = String(decoding: parts(text).text, as: UTF8.self)
        for (name, value) in values { filled = Self.filled(filled, name, value) }
        return filled
    }

    /// As the file names it.
    package func key(_ text: PageText) -> String {
        String(decoding: parts(text).key, as: UTF8.self)
    }

    package var count: Int { lines.count }

    /// A line is `key = text`.
    private func parts(_ text: PageText) -> (key: ArraySlice<UInt8>, text: ArraySlice<UInt8>) {
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

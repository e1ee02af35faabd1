internal import Bytes
internal import HTTP

/// The texts of one language.
package struct PageTexts: Sendable {
    /// In order of preference when the browser prefers none.
    static let languages = ["en", "de"]

    let language: String
    private let texts: [String: String]

    /// - Parameter wish: an `Accept-Language` header.
    init(wish: String?) {
        self.init(
            language: LanguagePreference(header: wish).choose(
                among: Set(Self.languages), otherwise: Self.languages[0]))
    }

    package init(language: String) {
        self.language = language
        texts = Self.parsed(
            language == "de" ? PackageResources.de_txt : PackageResources.en_txt)
    }

    /// - Parameter values: of the placeholders. They are plain text: the code that writes markup
    ///   escapes the whole.
    package func callAsFunction(
        _ text: PageText, _ values: [(name: String, value: String)] = []
    ) -> String {
        var filled = texts[text.rawValue] ?? text.rawValue
        for (name, value) in values { filled = Self.filled(filled, name, value) }
        return filled
    }

    package var keys: [String] { texts.keys.sorted() }

    /// Lines of `key = text`.
    private static func parsed(_ file: [UInt8]) -> [String: String] {
        var texts: [String: String] = [:]
        for line in file.split(separator: UInt8(ascii: "\n")) {
            guard let equals = line.firstIndex(of: UInt8(ascii: "=")) else { continue }
            let key = String(decoding: line[..<equals].dropLast(), as: UTF8.self)
            texts[key] = String(decoding: line[equals...].dropFirst(2), as: UTF8.self)
        }
        return texts
    }

    private static func filled(_ text: String, _ name: String, _ value: String) -> String {
        let mark = "{\(name)}"
        guard let place = text.utf8.firstOccurrence(of: mark) else { return text }
        return text[..<place.lowerBound] + value + text[place.upperBound...]
    }
}

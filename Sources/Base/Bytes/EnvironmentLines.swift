/// A file of environment variables: a `NAME=VALUE` on each line, `#` before a comment, quotes and
/// `export` as in a shell. `[Name]` begins a section, for readers that support sections.
package struct EnvironmentLines: Sendable {
    package struct Variable: Equatable, Sendable {
        package let section: String?
        package let name: String
        package let value: String
    }

    package struct Section: Equatable, Sendable {
        package let name: String
        package let line: Int
    }

    /// Does not include the text of the line, which may hold a secret.
    package enum Problem: Error, Equatable, Sendable {
        case notUTF8
        case notAVariable(line: Int)
    }

    package static let bytesMax = 1 << 20

    package private(set) var variables: [Variable] = []
    package private(set) var sections: [Section] = []

    package init(_ bytes: [UInt8]) throws(Problem) {
        guard let text = String(validating: bytes, as: UTF8.self) else { throw .notUTF8 }
        let lines = text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
        for (index, line) in lines.enumerated() {
            let words = Self.trimmed(line)
            if words.isEmpty || words.hasPrefix("#") { continue }
            if words.hasPrefix("["), words.hasSuffix("]") {
                sections.append(
                    Section(name: String(words.dropFirst().dropLast()), line: index + 1))
                continue
            }
            let plain = words.hasPrefix("export ") ? words.dropFirst(7) : words
            guard let mark = plain.firstIndex(of: "="), mark != plain.startIndex else {
                throw .notAVariable(line: index + 1)
            }
            variables.append(
                Variable(
                    section: sections.last?.name, name: String(Self.trimmed(plain[..<mark])),
                    value: Self.unquoted(Self.trimmed(plain[plain.index(after: mark)...]))))
        }
    }

    private static func trimmed(_ text: Substring) -> Substring {
        let start = text.drop { $0 == " " || $0 == "\t" }
        let count = start.reversed().prefix { $0 == " " || $0 == "\t" }.count
        return start.dropLast(count)
    }

    private static func unquoted(_ text: Substring) -> String {
        for quote: Character in ["\"", "'"]
        where text.count >= 2 && text.first == quote && text.last == quote {
            return String(text.dropFirst().dropLast())
        }
        return String(text)
    }
}

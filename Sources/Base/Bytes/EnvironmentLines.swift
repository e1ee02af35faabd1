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
        case unbalancedQuote(line: Int)

        /// - Parameter path: the path of the file.
        package func explanation(_ path: String) -> String {
            switch self {
            case .notUTF8: "\(path) is not UTF-8"
            case .notAVariable(let line): "\(path):\(line): expected NAME=VALUE"
            case .unbalancedQuote(let line):
                "\(path):\(line): the value has a quote at one end only"
            }
        }
    }

    package static let bytesMax = 1 << 20

    package private(set) var variables: [Variable] = []
    package private(set) var sections: [Section] = []

    package init(_ bytes: [UInt8]) throws(Problem) {
        guard let text = String(validating: Self.withoutMark(bytes), as: UTF8.self) else {
            throw .notUTF8
        }
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
            guard let value = Self.unquoted(Self.trimmed(plain[plain.index(after: mark)...]))
            else { throw .unbalancedQuote(line: index + 1) }
            variables.append(
                Variable(
                    section: sections.last?.name, name: String(Self.trimmed(plain[..<mark])),
                    value: value))
        }
    }

    /// The bytes without the mark that some editors write at the beginning of a file (BOM).
    package static func withoutMark(_ bytes: [UInt8]) -> [UInt8] {
        bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? Array(bytes.dropFirst(3)) : bytes
    }

    private static func trimmed(_ text: Substring) -> Substring {
        let start = text.drop { $0 == " " || $0 == "\t" }
        let count = start.reversed().prefix { $0 == " " || $0 == "\t" }.count
        return start.dropLast(count)
    }

    /// nil for a value that begins with a quote and does not end with it, or the reverse. A quote
    /// at the end may have its partner inside.
    private static func unquoted(_ text: Substring) -> String? {
        let quotes: [Character] = ["\"", "'"]
        guard let first = text.first, let last = text.last else { return "" }
        if quotes.contains(first) {
            return text.count >= 2 && last == first ? String(text.dropFirst().dropLast()) : nil
        }
        let isUnbalanced = quotes.contains(last) && !text.dropLast().contains(last)
        return isUnbalanced ? nil : String(text)
    }
}

internal import Bytes
internal import EmulatorFiles
internal import EmulatorTemplate

/// `--env-file`: lines of `NAME=VALUE` that override the template. `[Function]` begins a section
/// for one function; `#` begins a comment.
struct EnvironmentFile: Sendable {
    private var shared: [(name: String, value: String)] = []
    private var own: [(function: String, name: String, value: String)] = []
    private var sections: [(function: String, place: String)] = []

    static let bytesMax = 1 << 20

    init() {}

    init(path: String) throws {
        let bytes = try Files.read(path, bytesMax: Self.bytesMax)
        guard let text = String(validating: bytes, as: UTF8.self) else {
            throw CommandFailure("\(path) is not UTF-8")
        }
        var function: String?
        for (index, line) in text.split(
            omittingEmptySubsequences: false, whereSeparator: \.isNewline
        )
        .enumerated() {
            let words = Self.trimmed(line)
            if words.isEmpty || words.hasPrefix("#") { continue }
            if words.hasPrefix("["), words.hasSuffix("]") {
                let name = String(words.dropFirst().dropLast())
                sections.append((name, "\(path):\(index + 1)"))
                function = name
                continue
            }
            let plain = words.hasPrefix("export ") ? words.dropFirst(7) : words
            guard let mark = plain.firstIndex(of: "="), mark != plain.startIndex else {
                // The line itself is not shown: it may hold a secret.
                throw CommandFailure("\(path):\(index + 1): expected NAME=VALUE")
            }
            let name = String(Self.trimmed(plain[..<mark]))
            let value = Self.unquoted(Self.trimmed(plain[plain.index(after: mark)...]))
            if let function {
                own.append((function, name, value))
            } else {
                shared.append((name, value))
            }
        }
    }

    /// Refuses a section of a function that the template does not have.
    func check(_ functions: [FunctionResource]) throws {
        for (name, place) in sections where !functions.contains(where: { $0.isCalled(name) }) {
            let names = functions.map(\.name.text)
            let known = names.isEmpty ? "the template has none" : names.joined(separator: ", ")
            throw CommandFailure("\(place): there is no function \(name). Functions: \(known)")
        }
    }

    /// Later entries win.
    func variables(of function: FunctionResource) -> [(name: String, value: String)] {
        shared + own.filter { function.isCalled($0.function) }.map { ($0.name, $0.value) }
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

extension FunctionResource {
    /// By its name, or by its logical ID in the template.
    fileprivate func isCalled(_ other: String) -> Bool {
        name.text.isSame(as: other) || logicalID.isSame(as: other)
    }
}

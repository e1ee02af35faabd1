internal import Bytes
internal import EmulatorFiles
internal import EmulatorTemplate

/// `--env-file`: lines of `NAME=VALUE` that override the template. `[Function]` begins a section
/// for one function; `#` begins a comment.
struct EnvironmentFile: Sendable {
    private var shared: [(name: String, value: String)] = []
    private var own: [(function: String, name: String, value: String)] = []
    private var sections: [(function: String, place: String)] = []
    /// The function of each section.
    private var owners: [(section: String, function: FunctionName)] = []

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

    /// Finds the function of each section. Refuses a section of one that the templates do not have,
    /// and a logical ID that several functions have: a secret must not reach the wrong one.
    mutating func assign(to template: Template) throws {
        owners = try sections.map { name, place in
            guard let function = template.function(called: name) else {
                let names = template.functions.map(\.name.text)
                let known = names.isEmpty ? "the template has none" : names.joined(separator: ", ")
                let count = template.functions.count { $0.logicalID.isSame(as: name) }
                throw CommandFailure(
                    "\(place): there \(count > 1 ? "are \(count) functions" : "is no function") "
                        + "\(name). Functions: \(known)")
            }
            return (name, function.name)
        }
    }

    /// Later entries win.
    func variables(of function: FunctionResource) -> [(name: String, value: String)] {
        let sections = owners.filter { $0.function == function.name }.map(\.section)
        return shared
            + own.filter { entry in sections.contains { $0.isSame(as: entry.function) } }
            .map { ($0.name, $0.value) }
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

/// A word that begins with `--`, and what it is for.
struct Flag: Sendable {
    /// With its hyphens.
    let name: String
    /// How its value is called in the help; nil for a flag without one.
    let value: String?
    let help: String

    init(_ name: String, _ value: String? = nil, _ help: String) {
        self.name = name
        self.value = value
        self.help = help
    }
}

/// What is wrong with a command line, in words for whoever wrote it.
struct UsageError: Error, CustomStringConvertible {
    let description: String
}

/// The words behind a command's name, taken apart.
struct Arguments: Sendable {
    private var values: [(name: String, value: String)] = []
    private(set) var words: [String] = []

    init(_ given: [String], flags: [Flag]) throws(UsageError) {
        var rest = given[...]
        while let word = rest.popFirst() {
            if word == "--" {
                words += rest
                return
            }
            guard word.hasPrefix("-"), word != "-" else {
                words.append(word)
                continue
            }
            let parts = word.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            let name = String(parts[0])
            guard let flag = flags.first(where: { $0.name == name }) else {
                throw UsageError(description: "there is no \(name)")
            }
            if flag.value == nil {
                guard parts.count == 1 else {
                    throw UsageError(description: "\(name) takes no value")
                }
                values.append((name, ""))
            } else if parts.count == 2 {
                values.append((name, String(parts[1])))
            } else if let value = rest.popFirst() {
                values.append((name, value))
            } else {
                throw UsageError(description: "\(name) needs a value: \(flag.value ?? "")")
            }
        }
    }

    func has(_ name: String) -> Bool { values.contains { $0.name == name } }

    /// The last one counts, so that an alias or a script can be overruled.
    func text(_ name: String) -> String? { values.last { $0.name == name }?.value }

    func all(_ name: String) -> [String] { values.filter { $0.name == name }.map(\.value) }

    func integer(_ name: String, in range: ClosedRange<Int>) throws(UsageError) -> Int? {
        guard let text = text(name) else { return nil }
        guard let value = Int(text), range.contains(value) else {
            throw UsageError(
                description:
                    "\(name) is a number from \(range.lowerBound) to \(range.upperBound), not \(text)"
            )
        }
        return value
    }

    func choice<Value: RawRepresentable & CaseIterable>(
        _ name: String, _ type: Value.Type
    ) throws(UsageError) -> Value? where Value.RawValue == String {
        guard let text = text(name) else { return nil }
        guard let value = Value(rawValue: text) else {
            let known = Value.allCases.map(\.rawValue).joined(separator: " or ")
            throw UsageError(description: "\(name) is \(known), not \(text)")
        }
        return value
    }

    /// `NAME=VALUE`, any number of times.
    func pairs(_ name: String) throws(UsageError) -> [(name: String, value: String)] {
        var pairs: [(name: String, value: String)] = []
        for text in all(name) {
            let parts = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard parts.count == 2, !parts[0].isEmpty else {
                throw UsageError(description: "\(name) is NAME=VALUE, not \(text)")
            }
            pairs.append((String(parts[0]), String(parts[1])))
        }
        return pairs
    }

    /// So many words, called that in the help.
    func words(_ names: [String], optional: Int = 0) throws(UsageError) -> [String] {
        guard words.count >= names.count - optional else {
            throw UsageError(description: "\(names[words.count]) is missing")
        }
        guard words.count <= names.count else {
            throw UsageError(description: "\(words[names.count]) is one word too many")
        }
        return words
    }
}

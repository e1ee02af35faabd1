internal import Bytes
internal import EmulatorBase

/// A command-line option and its help text.
struct Flag: Sendable {
    /// The option's name with its hyphens.
    let name: String
    /// The placeholder of its value in the help; nil for a flag without a value.
    let value: String?
    let help: String

    init(_ name: String, _ value: String? = nil, _ help: String) {
        self.name = name
        self.value = value
        self.help = help
    }
}

/// The parsed arguments of a command: flags and operands.
struct Arguments: Sendable {
    private var values: [(name: String, value: String)] = []
    private(set) var operands: [String] = []

    init(_ given: [String], flags: [Flag]) throws(UsageError) {
        var rest = given[...]
        while let word = rest.popFirst() {
            if word == "--" {
                operands += rest
                return
            }
            guard Self.isOption(word) else {
                operands.append(word)
                continue
            }
            let parts = word.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            let name = String(parts[0])
            guard let flag = flags.first(where: { $0.name == name }) else {
                let hint = NearestName.hint(
                    name, among: (flags + [Command.help]).map(\.name))
                throw UsageError(description: "unknown option '\(name)'\(hint)")
            }
            if flag.value == nil {
                guard parts.count == 1 else {
                    throw UsageError(description: "option '\(name)' does not take a value")
                }
                values.append((name, ""))
            } else if parts.count == 2 {
                values.append((name, String(parts[1])))
            } else if let value = rest.first, !flags.contains(where: { $0.name == value }) {
                rest.removeFirst()
                values.append((name, value))
            } else {
                throw UsageError(description: "missing value for \(name)")
            }
        }
    }

    /// `-` is not an option but standard input, and neither is `-1h`, because no option begins with
    /// a digit.
    private static func isOption(_ word: String) -> Bool {
        guard word.utf8.first == UInt8(ascii: "-"), let second = word.utf8.dropFirst().first else {
            return false
        }
        return !(UInt8(ascii: "0")...UInt8(ascii: "9")).contains(second)
    }

    func has(_ name: String) -> Bool { values.contains { $0.name == name } }

    /// The last occurrence counts, so that an option in an alias or a script can be overridden.
    func text(_ name: String) -> String? { values.last { $0.name == name }?.value }

    func all(_ name: String) -> [String] { values.filter { $0.name == name }.map(\.value) }

    func integer(_ name: String, in range: ClosedRange<Int>) throws(UsageError) -> Int? {
        guard let text = text(name) else { return nil }
        guard let value = Int(text), range.contains(value) else {
            throw UsageError(
                description:
                    "invalid value '\(text)' for \(name): "
                    + "expected an integer from \(range.lowerBound) to \(range.upperBound)"
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
            throw UsageError(description: "invalid value '\(text)' for \(name): expected \(known)")
        }
        return value
    }

    /// `NAME=VALUE`, any number of times.
    func pairs(_ name: String) throws(UsageError) -> [(name: String, value: String)] {
        var pairs: [(name: String, value: String)] = []
        for text in all(name) {
            let parts = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard parts.count == 2, !parts[0].isEmpty else {
                throw UsageError(
                    description: "invalid value '\(text)' for \(name): expected NAME=VALUE")
            }
            pairs.append((String(parts[0]), String(parts[1])))
        }
        return pairs
    }

    /// Whether there are that many operands and no options.
    func isOnly(operands count: Int) -> Bool { values.isEmpty && operands.count == count }

    /// The operands, by the names that the help gives them.
    func operands(_ names: [String], optional: Int = 0) throws(UsageError) -> [String] {
        guard operands.count >= names.count - optional else {
            throw UsageError(description: "missing argument \(names[operands.count])")
        }
        guard operands.count <= names.count else {
            throw UsageError(description: "unexpected argument '\(operands[names.count])'")
        }
        return operands
    }
}

struct Flag: Sendable {
    let name: String
    /// The name of its value; nil for a flag without one.
    let value: String?
    let help: String
    let isRepeatable: Bool

    init(_ name: String, _ value: String?, _ help: String, isRepeatable: Bool = false) {
        self.name = name
        self.value = value
        self.help = help
        self.isRepeatable = isRepeatable
    }
}

/// The arguments of a command, and its `--help`.
struct CommandShape: Sendable {
    /// The name of the command, without the program's name.
    let name: String
    /// The names of the operands, all of which are required.
    var operands: [String] = []
    /// The operands that only some forms of the command have.
    var furtherOperands: [String] = []
    /// The first sentence is also in the list of commands.
    let summary: String
    var details = ""
    var flags: [Flag] = []
    /// The status of a command line that cannot be understood.
    var usageStatus = CommandFailure.usage

    private var usage: String {
        let further = furtherOperands.map { "[\($0)]" }
        let words = [name] + operands + further + (flags.isEmpty ? [] : ["[FLAGS]"])
        return words.joined(separator: " ")
    }

    func help(_ program: String) -> String {
        var text = "\(summary)\n\nUsage: \(program) \(usage)\n"
        if !details.isEmpty { text += "\n\(details)\n" }
        let own = flags.map { ($0.name + ($0.value.map { " \($0)" } ?? ""), $0.help) }
        let all =
            own + [
                ("--env-file FILE", "Read settings from lines of NAME=VALUE."),
                ("--help", "Show this help."),
            ]
        let width = all.map(\.0.utf8.count).max() ?? 0
        text += "\n"
        for (words, help) in all {
            let lines = help.split(separator: "\n", omittingEmptySubsequences: false)
            for (index, line) in lines.enumerated() {
                let shown = index == 0 ? words : ""
                let gap = String(repeating: " ", count: width - shown.utf8.count)
                text += "  \(shown)\(gap)  \(line)\n"
            }
        }
        return text
    }

    /// Returns nil if the arguments ask for the help.
    func parse(_ arguments: [String]) throws(CommandFailure) -> CommandArguments? {
        var parsed = CommandArguments()
        var rest = arguments[...]
        while let argument = rest.popFirst() {
            guard argument.hasPrefix("-"), argument != "-" else {
                parsed.operands.append(argument)
                continue
            }
            if argument == "--help" || argument == "-h" { return nil }
            let parts = argument.split(separator: "=", maxSplits: 1).map(String.init)
            guard let flag = flags.first(where: { $0.name == parts[0] }) else {
                throw refusal("unknown flag '\(parts[0])'")
            }
            if parsed.has(flag.name), !flag.isRepeatable {
                throw refusal("\(flag.name) is given twice")
            }
            guard let valueName = flag.value else {
                guard parts.count == 1 else { throw refusal("\(flag.name) takes no value") }
                parsed.values.append((flag.name, ""))
                continue
            }
            guard let value = parts.count == 2 ? parts[1] : rest.popFirst(), !value.isEmpty else {
                throw refusal("\(flag.name) needs a value: \(flag.name) \(valueName)")
            }
            parsed.values.append((flag.name, value))
        }
        let most = operands.count + furtherOperands.count
        guard parsed.operands.count <= most else {
            throw refusal("unexpected argument '\(parsed.operands[most])'")
        }
        guard parsed.operands.count >= operands.count else {
            throw refusal("\(operands[parsed.operands.count]) is missing")
        }
        return parsed
    }

    private func refusal(_ problem: String) -> CommandFailure {
        CommandFailure("\(problem); usage: latchkey \(usage) (see --help)", status: usageStatus)
    }
}

/// The arguments of one run.
struct CommandArguments {
    fileprivate(set) var operands: [String] = []
    fileprivate var values: [(name: String, value: String)] = []

    func has(_ flag: String) -> Bool { values.contains { $0.name == flag } }
    func text(_ flag: String) -> String? { values.last { $0.name == flag }?.value }
    func all(_ flag: String) -> [String] { values.filter { $0.name == flag }.map(\.value) }
}

internal import FunctionRuntime

/// A command for operators, such as `latchkey backup`, that an executable runs instead of serving.
package struct OperatorCommand: Sendable {
    package let name: String
    /// The words that select the command: its name, and in some cases a second word.
    package let words: [String]
    /// The arguments, for the list of commands in the executable's `--help`.
    package let operands: String
    /// A description in one line.
    package let summary: String
    /// Gets the arguments after the name, and returns the exit status.
    package let run: @Sendable (_ arguments: [String], Assembly) -> Int32

    package init(
        _ words: [String], operands: String, summary: String,
        run: @escaping @Sendable (_ arguments: [String], Assembly) -> Int32
    ) {
        name = words[0]
        self.words = words
        self.operands = operands
        self.summary = summary
        self.run = run
    }

    /// The command that the arguments name. A command of two words is preferred to a command that
    /// has only the first of them as its name.
    static func named(
        by arguments: [String], among commands: [OperatorCommand]
    ) -> OperatorCommand? {
        let named = commands.filter { $0.name == arguments.first }
        return named.first { $0.words.count > 1 && arguments.starts(with: $0.words) }
            ?? named.first
    }

    /// The commands that read the settings of a server in the same folder, as `serve` does. Without
    /// these settings, a backup would be of another store, or would lack its keys. `configure` is
    /// not listed: it writes the settings.
    static let readingSettings = [
        "admin", "audit", "backup", "export", "import", "oauth", "restore",
    ]

    /// The list in the executable's `--help`.
    static func help(_ commands: [OperatorCommand]) -> [CommandHelp.Entry] {
        commands.map { command in
            let words = "\(command.name) \(command.operands)"
            let gap =
                words.utf8.count + 2 > listWidth
                ? "\n" + String(repeating: " ", count: 2 + listWidth)
                : String(repeating: " ", count: listWidth - words.utf8.count)
            return CommandHelp.Entry(
                name: command.name, text: "  \(words)\(gap)\(command.summary)")
        }
    }

    private static let listWidth = 18
}

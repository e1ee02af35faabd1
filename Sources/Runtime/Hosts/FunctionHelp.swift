internal import Bytes
internal import HTTPServer

/// What `--help` and a wrong argument print.
struct FunctionHelp {
    let name: String
    let summary: String
    let canMigrate: Bool
    /// The commands of a program that has its own, with their help; nil for a function.
    let commands: CommandHelp?

    private static let options = ["--help", "--version", "--settings", "--listen", "--event"]

    var usage: String {
        guard commands == nil else {
            return "Usage: \(name) [serve [ADDRESS] | COMMAND | OPTION]\n"
        }
        let migration = canMigrate ? " | --migrate" : ""
        return "Usage: \(name) [--help | --version | --settings | --listen [ADDRESS] | "
            + "--event JSON\(migration)]\n"
    }

    /// At most 40 lines: a terminal shows them at once.
    var text: String {
        let isProgram = commands != nil
        return "\(summary)\n\n\(usage)\n"
            + (isProgram ? "  serve [ADDRESS]   The same as --listen.\n" : "")
            + "  --listen [ADDRESS]\n"
            + "                    Serve HTTP until SIGTERM, at 127.0.0.1:8080, [::1]:8080, :8080\n"
            + "                    (every address), unix:PATH or fd:3. Without an address at the\n"
            + "                    variable PORT, or at \(ListenChoice.standard.text).\n"
            + "  --event JSON      Answer this event in place of standard input.\n"
            + (canMigrate
                ? "  --migrate         Create or upgrade the table of the store.\n" : "")
            + "  --env-file FILE   Read settings from lines of NAME=VALUE; variables that are\n"
            + "                    set already win. Can be combined with any other option.\n"
            + "  --settings        List the settings, their values, and what is wrong with them.\n"
            + "  --help            Show this help.\n"
            + "  --version         Show the version.\n"
            + (commands.map { "\nCommands:\n\n\($0.text)\n" } ?? "")
            + "\nSettings are environment variables (docs/configuration.md). Without --listen,\n"
            + "one JSON event is read from standard input and one response is written to\n"
            + "standard output; the log goes to standard error.\n"
    }

    /// For a person who starts a program without arguments.
    var firstSteps: String {
        """
        \(summary)

          \(name) serve          Start a server at http://localhost:8080, with its data here.
          \(name) serve :8080    The same, also for other machines.
          \(name) --help         Show all options and commands.

        """
    }

    func refusal(of arguments: [String]) -> String {
        let known =
            Self.options + ["--env-file"] + (canMigrate ? ["--migrate"] : [])
            + (commands.map { ["serve"] + $0.entries().map(\.name) } ?? [])
        guard let wrong = arguments.first(where: { !known.contains($0) }) else { return usage }
        let hint = NearestName.hint(wrong, among: known)
        return "\(name): unexpected argument '\(wrong)'\(hint)\n\(usage)"
    }
}

/// The commands of a program beside its options, which are only asked for when help is printed:
/// most starts are for a request.
package struct CommandHelp: Sendable {
    package struct Entry: Sendable {
        package let name: String
        /// A line or more, indented by two spaces.
        package let text: String

        package init(name: String, text: String) {
            self.name = name
            self.text = text
        }
    }

    let entries: @Sendable () -> [Entry]

    package init(_ entries: @escaping @Sendable () -> [Entry]) { self.entries = entries }

    var text: String { entries().map(\.text).joined(separator: "\n") }
}

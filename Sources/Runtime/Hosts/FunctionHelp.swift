internal import Bytes
internal import HTTPServer

/// The text for `--help` and for a wrong argument.
struct FunctionHelp {
    let name: String
    let summary: String
    let canMigrate: Bool
    /// The program's own commands with their help; nil for a function.
    let commands: CommandHelp?

    private static let options = ["--help", "--version", "--settings", "--listen", "--event"]

    private static let serve = """
          serve [ADDRESS]   Serve HTTP at ADDRESS, with the settings in ./latchkey.env, if
                            there is one.

        """

    var usage: String {
        guard commands == nil else {
            return "Usage: \(name) [serve [ADDRESS] | COMMAND | OPTION]\n"
        }
        let migration = canMigrate ? " | --migrate" : ""
        return "Usage: \(name) [--help | --version | --settings | --listen [ADDRESS] | "
            + "--event JSON\(migration)]\n"
    }

    /// The text has at most 40 lines, so that a terminal shows all of them.
    var text: String {
        let isProgram = commands != nil
        return "\(summary)\n\n\(usage)\n"
            + (isProgram ? Self.serve : "")
            + "  --listen [ADDRESS]\n"
            + "                    Serve HTTP until SIGTERM, at 127.0.0.1:8080, [::1]:8080, :8080\n"
            + "                    (every address), unix:PATH or fd:3. Default: the port in the\n"
            + "                    variable PORT, or \(ListenChoice.standard.text).\n"
            + "  --event JSON      Answer this event instead of standard input.\n"
            + (canMigrate
                ? "  --migrate         Create or upgrade the table of the store.\n" : "")
            + "  --env-file FILE   Read settings from lines of NAME=VALUE; variables that are\n"
            + "                    set already take precedence. Works with any other option.\n"
            + "  --settings        List the settings, their values, and what is wrong with them.\n"
            + "  --help            Show this help.\n"
            + "  --version         Show the version.\n"
            + (commands.map { "\nCommands:\n\n\($0.text)\n" } ?? "")
            + "\nSettings are environment variables (docs/configuration.md). Without --listen,\n"
            + "one JSON event is read from standard input and one response is written to\n"
            + "standard output; the log goes to standard error.\n"
    }

    /// The text for a person who starts a program without arguments.
    var firstSteps: String {
        """
        \(summary)

          \(name) serve          Start a server at http://localhost:8080, with its data here.
          \(name) serve :8080    The same, also for other machines.
          \(name) --help         Show all options and commands.

        """
    }

    /// Whether the arguments ask for help, in one of the usual forms.
    static func isWanted(by arguments: [String]) -> Bool {
        let words = ["--help", "-h", "help"]
        guard let last = arguments.last, words.contains(where: last.isSame(as:)) else {
            return false
        }
        return arguments.count == 1
            || arguments.count == 2
                && ["serve", "--listen"].contains(where: arguments[0].isSame(as:))
    }

    func refusal(of arguments: [String]) -> String {
        if let port = Self.port(in: arguments) {
            let serve = commands == nil ? "--listen" : "serve"
            return
                "\(name): --port is not an option: use \(name) \(serve) :\(port) (every address) "
                + "or \(name) \(serve) 127.0.0.1:\(port) (this machine)\n"
        }
        let known =
            Self.options + ["--env-file"] + (canMigrate ? ["--migrate"] : [])
            + (commands.map { ["serve"] + $0.entries().map(\.name) } ?? [])
        guard let wrong = Self.withoutAddress(arguments).first(where: { !known.contains($0) })
        else { return usage }
        let hint = Self.hint(wrong, among: known)
        return "\(name): unexpected argument '\(wrong)'\(hint)\n\(usage)"
    }
}

extension FunctionHelp {
    /// The arguments without the address of `serve` or `--listen`, because the address is not the
    /// problem.
    private static func withoutAddress(_ arguments: [String]) -> [String] {
        guard arguments.count > 2, ["serve", "--listen"].contains(where: arguments[0].isSame(as:)),
            ListenAddress(arguments[1]) != nil
        else { return arguments }
        return [arguments[0]] + arguments[2...]
    }

    /// A name with the same letters in another order is also suggested, however short it is. For an
    /// option, only options are suggested.
    private static func hint(_ wrong: String, among names: [String]) -> String {
        let known = wrong.hasPrefix("--") ? names.filter { $0.hasPrefix("--") } : names
        let hint = NearestName.hint(wrong, among: known)
        let letters = wrong.utf8.sorted()
        guard hint.isEmpty, let meant = known.first(where: { $0.utf8.sorted() == letters }) else {
            return hint
        }
        return "; did you mean \(meant)?"
    }

    /// The port in an option that other servers have, but this program does not.
    private static func port(in arguments: [String]) -> UInt16? {
        for (index, argument) in arguments.enumerated() {
            let parts = argument.split(separator: "=", maxSplits: 1).map(String.init)
            guard let option = parts.first, ["--port", "-p"].contains(where: option.isSame(as:))
            else { continue }
            let value = parts.count == 2 ? parts[1] : arguments.dropFirst(index + 1).first
            return value.flatMap { UInt16($0) }.flatMap { $0 > 0 ? $0 : nil }
        }
        return nil
    }

    /// The problem of an address to listen at, and the address that was probably meant.
    static func problem(of address: String) -> String {
        let port = String(ListenChoice.standardPort)
        let isNumber = !address.isEmpty && address.utf8.allSatisfy(\.isDigit)
        if isNumber, let port = UInt16(address), port > 0 {
            return "did you mean :\(port) or 127.0.0.1:\(port)?"
        }
        let start = address.utf8.lastIndex(of: UInt8(ascii: ":")).map { address[..<$0] } ?? ""
        let digits = address.utf8.dropFirst(start.utf8.count).drop { $0 == UInt8(ascii: ":") }
        if !digits.isEmpty, digits.allSatisfy(\.isDigit), UInt16(String(digits) ?? "") == nil,
            ListenAddress("\(start):\(port)") != nil
        {
            return "a port is at most 65535"
        }
        for complete in ["\(address):\(port)", "[\(address)]:\(port)"]
        where ListenAddress(complete) != nil {
            return "the port is missing: did you mean \(complete)?"
        }
        return "it must be one such as 127.0.0.1:8080 or unix:PATH (see --help)"
    }
}

/// The commands of a program, in addition to its options. They are only computed when help is
/// printed, because most starts are for a request.
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

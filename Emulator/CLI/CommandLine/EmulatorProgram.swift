internal import Bytes
internal import EmulatorBase
internal import Glibc

/// `emulator COMMAND …`
enum EmulatorProgram {
    static let commands: [Command] = [
        .serve, .invoke, .event, .replay, .shorten, .record, .audit, .tick, .expireNow, .clock,
        .logs, .trace, .eventLog, .invocations, .faults, .gate, .tables, .objects, .sessions,
        .explain, .export, .import, .reset,
    ]

    /// The same version as the functions.
    static let version = "0.2.0"

    static func main() -> Never {
        exit(run(Array(CommandLine.arguments.dropFirst()), on: .standard))
    }

    static func run(_ words: [String], on console: Console) -> Int32 {
        guard let name = words.first, name != "--help", name != "help" else {
            console.print(overview)
            return words.isEmpty ? 2 : 0
        }
        guard name != "--version" else {
            console.print("emulator \(version)")
            return 0
        }
        guard let command = commands.first(where: { $0.name == name }) else {
            let hint = NearestName.hint(name, among: commands.map(\.name))
            let advice = hint.isEmpty ? "; see 'emulator --help'" : hint
            console.complain("emulator: unknown command '\(name)'\(advice)")
            return 2
        }
        do {
            let given = Array(words.dropFirst())
            if given.prefix(while: { $0 != "--" }).contains("--help") {
                console.print(command.helpText)
                return 0
            }
            return try command.run(try Arguments(given, flags: command.flags), console)
        } catch let error as UsageError {
            console.complain("emulator \(name): \(error)\n\(command.usage)")
            return 2
        } catch {
            console.complain("emulator \(name): \(error)")
            return 1
        }
    }

    private static var overview: String {
        let width = commands.map(\.name.count).max() ?? 0
        let lines = commands.map { command in
            let space = String(repeating: " ", count: width - command.name.count)
            return "  \(command.name)\(space)  \(command.summary)"
        }
        return """
            usage: emulator COMMAND [FLAGS] | --help | --version

            Runs the functions of a SAM template and the AWS services that they use, locally.

            \(lines.joined(separator: "\n"))

            Run 'emulator COMMAND --help' for the options of a command.
            """
    }
}

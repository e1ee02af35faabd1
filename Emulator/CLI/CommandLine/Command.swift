internal import EmulatorFiles

/// One thing that the program can do.
struct Command: Sendable {
    let name: String
    /// What stands behind the name, beside the flags: `FUNCTION CASE`.
    let operands: String
    /// One line.
    let summary: String
    /// What else the help says.
    var details: String?
    let flags: [Flag]
    /// Answers the exit status.
    let run: @Sendable (Arguments, Console) throws -> Int32

    static let help = Flag("--help", nil, "Say this.")

    var usage: String {
        let words = ["usage: emulator", name, operands, flags.isEmpty ? "" : "[FLAGS]"]
        return words.filter { !$0.isEmpty }.joined(separator: " ")
    }

    var helpText: String {
        let rows = (flags + [Self.help]).map { flag in
            (left: [flag.name, flag.value].compactMap(\.self).joined(separator: " "), flag.help)
        }
        let width = rows.map(\.left.count).max() ?? 0
        let lines = rows.map { left, help in
            let margin = String(repeating: " ", count: width + 4)
            let text = help.split(separator: "\n").joined(separator: "\n\(margin)")
            return "  \(left)\(String(repeating: " ", count: width - left.count))  \(text)"
        }
        let about = [summary, details].compactMap(\.self).joined(separator: "\n\n")
        return "\(usage)\n\n\(about)\n\n\(lines.joined(separator: "\n"))\n"
    }
}

/// A failure of a command that its user can read and act on.
struct CommandFailure: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }
}

/// Where a command writes.
struct Console: Sendable {
    let print: @Sendable (String) -> Void
    let complain: @Sendable (String) -> Void
    let isTerminal: Bool

    static let standard = Console(
        print: { Files.writeAll(Array(($0 + "\n").utf8), to: 1) },
        complain: { Files.writeAll(Array(($0 + "\n").utf8), to: 2) },
        isTerminal: Files.isTerminal(1))
}

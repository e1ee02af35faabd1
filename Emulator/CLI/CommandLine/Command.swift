internal import EmulatorBase

/// A subcommand.
struct Command: Sendable {
    let name: String
    /// The operands after the name: `FUNCTION CASE`.
    let operands: String
    /// A one-line description.
    let summary: String
    /// Further help text.
    var details: String?
    let flags: [Flag]
    /// Returns the exit status.
    let run: @Sendable (Arguments, Console) throws -> Int32

    static let help = Flag("--help", nil, "Show this help.")

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

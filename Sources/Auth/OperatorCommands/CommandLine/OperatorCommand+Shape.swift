internal import AuthComposition
internal import Glibc

extension OperatorCommand {
    private static let program = "latchkey"

    /// - Parameter body: returns the exit status.
    init(
        _ shape: CommandShape,
        _ body:
            @escaping @Sendable (CommandArguments, Assembly) throws(CommandFailure) -> Int32
    ) {
        // A name of two words is the command and its first operand.
        let words = shape.name.split(separator: " ").map(String.init)
        self.init(
            words, operands: (words.dropFirst() + shape.operands).joined(separator: " "),
            summary: String(shape.summary.prefix { $0 != "\n" })
        ) { given, assembly in
            // If the limit for file sizes is reached, a write fails instead of ending the process
            // by a signal.
            signal(SIGXFSZ, SIG_IGN)
            signal(SIGPIPE, SIG_IGN)
            do throws(CommandFailure) {
                let rest = try Self.arguments(given, after: words.dropFirst(), of: shape)
                guard let arguments = try shape.parse(rest) else {
                    try Terminal.print(String(shape.help(Self.program).dropLast()))
                    return 0
                }
                return try body(arguments, assembly)
            } catch {
                Terminal.say("\(Self.program): \(error.message)")
                return error.status
            }
        }
    }

    /// The arguments without the further words of the command's name.
    private static func arguments(
        _ given: [String], after words: ArraySlice<String>, of shape: CommandShape
    ) throws(CommandFailure) -> [String] {
        guard !given.starts(with: words) else { return Array(given.dropFirst(words.count)) }
        if given == ["--help"] || given == ["-h"] { return given }
        throw CommandFailure(
            "usage: \(program) \(([shape.name] + shape.operands).joined(separator: " ")) [FLAGS] "
                + "(see --help)", status: shape.usageStatus)
    }
}

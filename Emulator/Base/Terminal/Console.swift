/// The output streams of a command.
package struct Console: Sendable {
    package let print: @Sendable (String) -> Void
    package let complain: @Sendable (String) -> Void
    package let isTerminal: Bool

    package init(
        print: @escaping @Sendable (String) -> Void,
        complain: @escaping @Sendable (String) -> Void, isTerminal: Bool
    ) {
        self.print = print
        self.complain = complain
        self.isTerminal = isTerminal
    }

    /// A console that writes everything to standard error.
    package var complaining: Console {
        Console(print: complain, complain: complain, isTerminal: isTerminal)
    }

    package static let standard = Console(
        print: { Files.writeAll(Array(($0 + "\n").utf8), to: 1) },
        complain: { Files.writeAll(Array(($0 + "\n").utf8), to: 2) },
        isTerminal: Files.isTerminal(1))
}

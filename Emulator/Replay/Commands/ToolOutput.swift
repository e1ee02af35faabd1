/// The output of a command.
package struct ToolOutput: Sendable {
    /// A line of the result, for standard output.
    package let print: @Sendable (String) -> Void
    /// A message to the user, for standard error.
    package let note: @Sendable (String) -> Void
    /// Replaces the last line of a terminal during long operations; an empty text removes it. nil
    /// if the output is not a terminal.
    package let progress: (@Sendable (String) -> Void)?

    package init(
        print: @escaping @Sendable (String) -> Void, note: @escaping @Sendable (String) -> Void,
        progress: (@Sendable (String) -> Void)?
    ) {
        self.print = print
        self.note = note
        self.progress = progress
    }
}

/// The exit status of a command.
package enum ExitStatus {
    package static let success: Int32 = 0
    package static let failure: Int32 = 1
    /// Invalid arguments.
    package static let usage: Int32 = 2
}

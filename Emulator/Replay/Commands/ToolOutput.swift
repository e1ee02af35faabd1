/// Where a command says what it has to say.
package struct ToolOutput: Sendable {
    /// A line of the result, for standard output.
    package let print: @Sendable (String) -> Void
    /// A line for people, for standard error.
    package let note: @Sendable (String) -> Void
    /// Replaces the last line of a terminal while something takes long, and an empty text removes
    /// it; nil when the output is not a terminal.
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

/// What a command ends with.
package enum ExitStatus {
    package static let success: Int32 = 0
    package static let failure: Int32 = 1
    /// It was asked for something that makes no sense.
    package static let usage: Int32 = 2
}

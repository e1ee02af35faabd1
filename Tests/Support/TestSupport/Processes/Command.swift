/// A program to run, with all that it will see: nothing of the test's own environment.
package struct Command: Sendable {
    package enum Input: Sendable {
        /// A file with these bytes.
        case bytes([UInt8])
        /// Open until the test ends it: `ChildProcess.send` and `endInput`.
        case stream
        /// No descriptor at all.
        case closed
    }

    package enum Output: Sendable {
        /// A file; its contents are in `ProcessResult`.
        case kept
        /// No file but a connection, which holds 100 KB at least; in `ProcessResult` too.
        case keptInMemory
        /// Appended to a file or a FIFO that exists.
        case path(String)
        /// A pipe whose reader has left.
        case hungUp
        /// No descriptor at all.
        case closed
    }

    package var path: String
    package var arguments: [String]
    package var environment: [(name: String, value: String)] = []
    package var input = Input.bytes([])
    package var output = Output.kept
    package var errorOutput = Output.kept
    /// There for as long as the process.
    package var folder: TemporaryFolder?

    package init(_ path: String, _ arguments: [String] = []) {
        self.path = path
        self.arguments = arguments
    }

    /// The same program, which does not start before it is sent a line: many of them then start
    /// as one. A shell waits for the line, because it reads no byte more than that.
    package var gated: Command {
        var gated = throughShell("read -r gate")
        gated.input = .stream
        return gated
    }

    /// The same program in another working directory than the test's.
    package func working(in folder: TemporaryFolder) -> Command {
        var command = throughShell("cd '\(folder.path)'")
        command.folder = folder
        return command
    }

    /// The same program with a limit on the size of files: writing fails, as on a full disk.
    package func onFullDisk(kilobytes: Int = 0) -> Command {
        // dash counts in units of 512 bytes.
        var limited = throughShell("trap '' XFSZ; ulimit -f \(kilobytes * 2)")
        limited.output = .keptInMemory
        limited.errorOutput = .keptInMemory
        return limited
    }

    /// The same program, after `preparation` in the shell that becomes it.
    package func throughShell(_ preparation: String) -> Command {
        var command = self
        command.path = "/bin/sh"
        command.arguments = ["-c", "\(preparation); exec \"$0\" \"$@\"", path] + arguments
        return command
    }
}

/// What came of a process.
package struct ProcessResult: Sendable {
    package enum End: Equatable, Sendable {
        case exit(Int32)
        case signal(Int32)
        /// It did not end in time and was killed for that.
        case outOfTime
    }

    package let end: End
    package let output: [UInt8]
    package let errorOutput: [UInt8]

    package var text: String { String(decoding: output, as: UTF8.self) }
    package var errorText: String { String(decoding: errorOutput, as: UTF8.self) }
    /// What it wrote to stderr, line by line.
    package var errorLines: [String] { errorText.split(separator: "\n").map(String.init) }
}

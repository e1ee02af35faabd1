/// A program to run, with its complete environment: nothing of the test's own is inherited.
package struct Command: Sendable {
    package enum Input: Sendable {
        /// From a file with these bytes.
        case bytes([UInt8])
        /// Open until the test ends it, with `ChildProcess.send` and `endInput`.
        case stream
        /// Closed.
        case closed
    }

    package enum Output: Sendable {
        /// To a file; the contents are in `ProcessResult`.
        case kept
        /// To a socket with a buffer of at least 100 KB; also in `ProcessResult`.
        case keptInMemory
        /// Appended to an existing file or FIFO.
        case path(String)
        /// To a pipe without a reader.
        case hungUp
        /// Closed.
        case closed
    }

    package var path: String
    package var arguments: [String]
    package var environment: [(name: String, value: String)] = []
    package var input = Input.bytes([])
    package var output = Output.kept
    package var errorOutput = Output.kept
    /// Retained as long as the process runs.
    package var folder: TemporaryFolder?

    package init(_ path: String, _ arguments: [String] = []) {
        self.path = path
        self.arguments = arguments
    }

    /// The same program, which starts when it is sent a line, so that many can start at the same
    /// time. A shell reads the line, because it reads no byte beyond it.
    package var gated: Command {
        var gated = throughShell("read -r gate")
        gated.input = .stream
        return gated
    }

    /// The same program in another working directory.
    package func working(in folder: TemporaryFolder) -> Command {
        var command = throughShell("cd '\(folder.path)'")
        command.folder = folder
        return command
    }

    /// The same program with a file size limit: writes fail, as on a full disk.
    package func onFullDisk(kilobytes: Int = 0) -> Command {
        // dash counts in units of 512 bytes.
        var limited = throughShell("trap '' XFSZ; ulimit -f \(kilobytes * 2)")
        limited.output = .keptInMemory
        limited.errorOutput = .keptInMemory
        return limited
    }

    /// The same program, exec'ed by a shell after `preparation`.
    package func throughShell(_ preparation: String) -> Command {
        var command = self
        command.path = "/bin/sh"
        command.arguments = ["-c", "\(preparation); exec \"$0\" \"$@\"", path] + arguments
        return command
    }
}

/// The result of a process.
package struct ProcessResult: Sendable {
    package enum End: Equatable, Sendable {
        case exit(Int32)
        case signal(Int32)
        /// It was killed at the deadline.
        case outOfTime
    }

    package let end: End
    package let output: [UInt8]
    package let errorOutput: [UInt8]

    package var text: String { String(decoding: output, as: UTF8.self) }
    package var errorText: String { String(decoding: errorOutput, as: UTF8.self) }
    /// The lines written to stderr.
    package var errorLines: [String] { errorText.split(separator: "\n").map(String.init) }
}

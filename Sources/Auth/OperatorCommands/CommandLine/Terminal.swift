internal import FunctionRuntime
internal import Glibc

/// The standard streams of a command: results go to the output, everything else to the error
/// output.
enum Terminal {
    static var errorIsTerminal: Bool { isatty(2) == 1 }

    /// Throws if the output is closed or full.
    static func print(_ text: String) throws(CommandFailure) {
        guard Descriptor.writeAll(Array("\(text)\n".utf8), to: 1) else {
            throw CommandFailure("standard output cannot be written")
        }
    }

    static func say(_ text: String) {
        // The text replaces a line of `TransferProgress`.
        let start = errorIsTerminal ? "\r\u{1B}[K" : ""
        _ = Descriptor.writeAll(Array("\(start)\(text)\n".utf8), to: 2)
    }
}

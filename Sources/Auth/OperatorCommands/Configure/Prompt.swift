internal import FunctionRuntime
internal import Glibc

/// Questions at a terminal: they are written to the error output, and answered at standard input.
enum Prompt {
    static var isPossible: Bool { isatty(0) == 1 && isatty(2) == 1 }

    /// The line without its end; nil at the end of the input.
    static func line(_ question: String) -> String? {
        show(question)
        return input()
    }

    /// Reads standard input up to a line feed.
    static func input() -> String? {
        var bytes: [UInt8] = []
        var byte: UInt8 = 0
        while bytes.count < bytesMax {
            let count = read(0, &byte, 1)
            if count < 0, errno == EINTR { continue }
            guard count > 0 else {
                return bytes.isEmpty ? nil : String(decoding: bytes, as: UTF8.self)
            }
            if byte == 0x0A { break }
            bytes.append(byte)
        }
        if bytes.last == 0x0D { bytes.removeLast() }
        return String(decoding: bytes, as: UTF8.self)
    }

    private static let bytesMax = 16 << 10

    /// Reads a line without showing it. The terminal's signals are off, so that an interrupt cannot
    /// leave the terminal without an echo.
    static func secret(_ question: String) -> String? {
        var saved = termios()
        guard tcgetattr(0, &saved) == 0 else { return nil }
        var silent = saved
        silent.c_lflag &= ~tcflag_t(ECHO | ICANON | ISIG)
        tcsetattr(0, TCSADRAIN, &silent)
        defer {
            tcsetattr(0, TCSADRAIN, &saved)
            show("\n")
        }
        // The question is shown only now: input that is typed at once would otherwise be visible.
        show(question)
        var bytes: [UInt8] = []
        var byte: UInt8 = 0
        while read(0, &byte, 1) == 1, bytes.count < bytesMax {
            switch byte {
            case 0x0A, 0x0D: return String(decoding: bytes, as: UTF8.self)
            // Ctrl-C and Ctrl-D.
            case 0x03, 0x04: return nil
            case 0x08, 0x7F:
                // Removes a whole character of UTF-8.
                while let last = bytes.popLast(), last & 0xC0 == 0x80 {}
            // Ctrl-U.
            case 0x15: bytes = []
            default: bytes.append(byte)
            }
        }
        return nil
    }

    static func show(_ text: String) { _ = Descriptor.writeAll(Array(text.utf8), to: 2) }
}

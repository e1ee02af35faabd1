import Foundation

enum Output {
    /// Lines of several tasks do not mix: each is one write.
    static func write(_ line: String) {
        FileHandle.standardOutput.write(Data("\(line)\n".utf8))
    }
}

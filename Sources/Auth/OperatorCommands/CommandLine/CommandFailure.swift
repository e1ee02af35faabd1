internal import FunctionRuntime

/// The failure that ends a command. The message is one line with the problem, its place and its
/// remedy.
struct CommandFailure: Error, Equatable {
    let message: String
    let status: Int32

    init(_ message: String, status: Int32 = Self.failed) {
        self.message = message
        self.status = status
    }

    init(_ failure: StartFailure, status: Int32 = Self.failed) {
        self.init(failure.problems.joined(separator: "; "), status: status)
    }

    /// The command was understood and has failed.
    static let failed: Int32 = 1
    /// EX_USAGE of sysexits.h.
    static let usage: Int32 = 64
}

/// Runs a call of the composition root, whose failure may have several problems.
func starting<Value>(_ call: () throws(StartFailure) -> Value) throws(CommandFailure) -> Value {
    do throws(StartFailure) {
        return try call()
    } catch {
        throw CommandFailure(error)
    }
}

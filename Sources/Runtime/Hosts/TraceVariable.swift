internal import Glibc
internal import Synchronization

/// `_X_AMZN_TRACE_ID`, which a runtime sets for each invocation.
///
/// Not with setenv(3): glibc keeps every value that it ever set, so that a process that serves a
/// million invocations would lose a hundred megabytes. Here one buffer is put into the
/// environment, and its text replaced.
enum TraceVariable {
    static let name = "_X_AMZN_TRACE_ID"
    private static let valueBytesMax = 1024

    private struct State {
        /// `NAME=value` and a NUL. Never freed: the environment points to it.
        let text: UnsafeMutablePointer<CChar>
        var isInEnvironment = false
    }

    private static let state = Mutex(
        State(text: .allocate(capacity: name.utf8.count + 1 + valueBytesMax + 1)))

    /// A value that is too long, or that C would cut off, counts as none.
    static func set(_ value: String?) {
        state.withLock { state in
            guard let value, value.utf8.count <= valueBytesMax, !value.utf8.contains(0) else {
                unsetenv(name)
                state.isInEnvironment = false
                return
            }
            for (offset, byte) in "\(name)=\(value)\0".utf8.enumerated() {
                state.text[offset] = CChar(bitPattern: byte)
            }
            if !state.isInEnvironment {
                state.isInEnvironment = putenv(state.text) == 0
            }
        }
    }
}

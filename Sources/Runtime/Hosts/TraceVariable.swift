internal import Glibc
internal import Synchronization

/// `_X_AMZN_TRACE_ID`, which a runtime sets for each invocation.
///
/// The variable is not set with setenv(3): glibc never frees old values, so a million invocations
/// would leak a hundred megabytes. Instead, one buffer is added to the environment and overwritten.
enum TraceVariable {
    static let name = "_X_AMZN_TRACE_ID"
    private static let valueBytesMax = 1024

    private struct State {
        /// `NAME=value` and a NUL. Never freed, because the environment points to it.
        let text: UnsafeMutablePointer<CChar>
        var isInEnvironment = false
    }

    private static let state = Mutex(
        State(text: .allocate(capacity: name.utf8.count + 1 + valueBytesMax + 1)))

    /// A value that is too long or contains a NUL is treated as unset.
    static func set(_ value: String?) {
        state.withLock { state in
            guard let value, value.utf8.count <= valueBytesMax, !value.utf8.contains(0) else {
                unsetenv(name)
                state.isInEnvironment = false
                return
            }
            for (offset, byte) in "\(name)=\(value)\0".utf8.enumerated() {
                state.text[offset] = CChar(truncatingIfNeeded: byte)
            }
            if !state.isInEnvironment {
                state.isInEnvironment = putenv(state.text) == 0
            }
        }
    }
}

internal import Synchronization

/// Facts about a request that only the operation knows, for its log line. Each thread has its own
/// instance (`AuthServices.forAnotherThread`).
package final class LogFacts: Sendable {
    private let state = Mutex<String?>(nil)

    package init() {}

    /// The configured name of the provider that an identity token is from.
    package var provider: String? {
        get { state.withLock { $0 } }
        set { state.withLock { $0 = newValue } }
    }
}

internal import Synchronization

/// What only an operation knows about the request, for its log line. These services have one
/// request at a time (`AuthServices.forAnotherThread`).
package final class LogFacts: Sendable {
    private let state = Mutex<String?>(nil)

    package init() {}

    /// The configured name of the provider that an identity token is from.
    package var provider: String? {
        get { state.withLock { $0 } }
        set { state.withLock { $0 = newValue } }
    }
}

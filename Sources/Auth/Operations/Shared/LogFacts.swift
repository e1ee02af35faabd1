internal import Synchronization

/// Facts about a request that only the operation knows, for its log line. Each thread has its own
/// instance (`AuthServices.forAnotherThread`).
package final class LogFacts: Sendable {
    private let state = Mutex<(provider: String?, isIdle: Bool)>((nil, false))

    package init() {}

    /// The configured name of the provider that an identity token is from.
    package var provider: String? {
        get { state.withLock { $0.provider } }
        set { state.withLock { $0.provider = newValue } }
    }

    /// Whether a run of housekeeping found nothing to do.
    package var isIdle: Bool {
        get { state.withLock { $0.isIdle } }
        set { state.withLock { $0.isIdle = newValue } }
    }
}

internal import Synchronization

/// Facts about a request that only the operation knows, for its log line. Each thread has its own
/// instance (`AuthServices.forAnotherThread`).
package final class LogFacts: Sendable {
    private struct State {
        var provider: String?
        var isIdle = false
        var client: String?
        var sentError: String?
        var unlistedAddress: UnlistedAddress?
        var unlistedOrigin: String?
    }

    private let state = Mutex(State())

    package init() {}

    /// Forgets those of the last request.
    package func reset() { state.withLock { $0 = State() } }

    /// The configured name of the provider that an identity token is from.
    package var provider: String? {
        get { state.withLock { $0.provider } }
        set { state.withLock { $0.provider = newValue } }
    }

    /// The client that has got a token for itself, which no event of the audit log tells.
    package var client: String? {
        get { state.withLock { $0.client } }
        set { state.withLock { $0.client = newValue } }
    }

    /// The error of OAuth that a redirect takes to a client.
    package var sentError: String? {
        get { state.withLock { $0.sentError } }
        set { state.withLock { $0.sentError = newValue } }
    }

    /// The address of a refused request that is not the client's.
    package var unlistedAddress: UnlistedAddress? {
        get { state.withLock { $0.unlistedAddress } }
        set { state.withLock { $0.unlistedAddress = newValue } }
    }

    /// The origin of a refused passkey that `PASSKEY_ORIGINS` lacks.
    package var unlistedOrigin: String? {
        get { state.withLock { $0.unlistedOrigin } }
        set { state.withLock { $0.unlistedOrigin = newValue } }
    }

    /// Whether a run of housekeeping found nothing to do.
    package var isIdle: Bool {
        get { state.withLock { $0.isIdle } }
        set { state.withLock { $0.isIdle = newValue } }
    }
}

/// An address to which a client wants to return, and which is not among those of its registration.
package struct UnlistedAddress: Equatable, Sendable {
    package let client: String
    /// nil for a client that has described itself, whose name may say anything.
    package let clientName: String?
    package let address: String

    init(_ address: String, of client: Client) {
        self.client = client.id
        clientName = client.isSelfRegistered ? nil : client.name
        self.address = address
    }
}

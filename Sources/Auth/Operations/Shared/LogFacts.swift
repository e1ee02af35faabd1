internal import Synchronization

/// Facts about a request that only the operation knows, for its log line. Each thread has its own
/// instance (`AuthServices.forAnotherThread`).
package final class LogFacts: Sendable {
    package struct Values: Sendable {
        /// The configured name of the provider that an identity token is from.
        package var provider: String?
        /// The client that has got a token for itself, which no event of the audit log tells.
        package var client: String?
        /// The error of OAuth that a redirect takes to a client.
        package var sentError: String?
        /// The address of a refused request that is not the client's.
        package var unlistedAddress: UnlistedAddress?
        /// The origin of a refused passkey that `PASSKEY_ORIGINS` lacks.
        package var unlistedOrigin: String?
        /// Whether a run of housekeeping found nothing to do.
        package var isIdle = false

        package init() {}
    }

    private let state = Mutex(Values())

    package init() {}

    package var values: Values {
        get { state.withLock { $0 } }
        set { state.withLock { $0 = newValue } }
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

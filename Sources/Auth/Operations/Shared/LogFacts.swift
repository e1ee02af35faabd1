package import AuthDomain
internal import Synchronization

/// Facts about a request that only the operation knows, for its log line. Each thread has its own
/// instance (`AuthServices.forAnotherThread`).
package final class LogFacts: Sendable {
    package struct Values: Sendable {
        /// The configured name of the provider that an identity token is from.
        package var provider: String?
        /// The client that has received a token for itself, of which the audit log has no event, a
        /// token without some of the granted scopes, or a refusal by a redirect.
        package var client: String?
        /// The granted scopes that no server has for which the client may get tokens.
        package var scopesLeftOut: [String] = []
        /// The client whose credentials were judged. The ID of an unknown client is left out if it
        /// may be a secret or a person's address.
        package var judgedClient: String?
        /// The OAuth error in a redirect to a client.
        package var sentError: (name: String, error: OAuthError)?
        /// The address in a refused request that does not belong to the client.
        package var unlistedAddress: UnlistedAddress?
        /// The origin of a refused passkey, if `PASSKEY_ORIGINS` lacks it.
        package var unlistedOrigin: String?
        /// The audit event that somebody other than the account's owner caused, such as an
        /// administrator.
        package var actForOthers: AuditEntry?
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

/// A redirect address that a client has requested but not registered.
package struct UnlistedAddress: Equatable, Sendable {
    package let client: String
    /// The client; nil if it has described itself, because its name may then be any text.
    package let clientName: String?
    package let address: String

    init(_ address: String, of client: Client) {
        self.client = client.id
        clientName = client.isSelfRegistered ? nil : client.name
        self.address = address
    }
}

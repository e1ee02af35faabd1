package import Bytes
package import Time

/// The interface to the issuer of short-lived credentials: AWS STS, through `AssumedRole`.
package struct StorageBroker: Sendable {
    package let assume: @Sendable (StorageGrant, Instant) throws(StorageFailure) -> StorageKeys

    package init(
        assume:
            @escaping @Sendable (StorageGrant, Instant) throws(StorageFailure) -> StorageKeys
    ) {
        self.assume = assume
    }
}

/// A request for credentials: the user, the policy, the duration.
package struct StorageGrant: Equatable, Sendable {
    package let user: String
    /// A user whose account was merged into the account of `user`. The objects of this user may be
    /// read.
    package let source: String?
    package let policy: StoragePolicy
    package let lifetime: Span

    package init(user: String, source: String? = nil, policy: StoragePolicy, lifetime: Span) {
        self.user = user
        self.source = source
        self.policy = policy
        self.lifetime = lifetime
    }
}

package struct StorageKeys: Sendable {
    package let accessKeyID: String
    package let secretAccessKey: SecretBytes
    package let sessionToken: SecretBytes
    package let expiresAt: Instant

    package init(
        accessKeyID: String, secretAccessKey: SecretBytes, sessionToken: SecretBytes,
        expiresAt: Instant
    ) {
        self.accessKeyID = accessKeyID
        self.secretAccessKey = secretAccessKey
        self.sessionToken = sessionToken
        self.expiresAt = expiresAt
    }
}

package enum StorageFailure: Error, Equatable, Sendable {
    /// The packed form of policy and tags is too large, although their text is not.
    case policyTooLarge
    /// The role, the policy or our own credentials are configured wrongly.
    case refused
    case unavailable
}

package import Bytes
package import Time

/// Whoever hands out short-lived keys: STS, through `AssumedRole`.
package struct StorageBroker: Sendable {
    package let assume: @Sendable (StorageGrant, Instant) throws(StorageFailure) -> StorageKeys

    package init(
        assume:
            @escaping @Sendable (StorageGrant, Instant) throws(StorageFailure) -> StorageKeys
    ) {
        self.assume = assume
    }
}

/// What is asked for: the person, the policy, the time.
package struct StorageGrant: Equatable, Sendable {
    package let user: String
    package let policy: StoragePolicy
    package let lifetime: Span

    package init(user: String, policy: StoragePolicy, lifetime: Span) {
        self.user = user
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
    /// The packed form of policy and tags is too large, though their text is not.
    case policyTooLarge
    /// The role, the policy or our own credentials are not set up as this needs it.
    case refused
    case unavailable
}

package import Time

/// The session of a browser that signed in with the administrator's password. It belongs to no
/// account.
package struct AdminSession: Equatable, Sendable {
    package let createdAt: Instant
    package var lastUsedAt: Instant

    package init(createdAt: Instant, lastUsedAt: Instant) {
        self.createdAt = createdAt
        self.lastUsedAt = lastUsedAt
    }

    /// From this instant on the session does not exist.
    package func expiresAt(_ policy: AdminPolicy) -> Instant {
        min(lastUsedAt + policy.idleLifetime, createdAt + policy.absoluteLifetime)
    }
}

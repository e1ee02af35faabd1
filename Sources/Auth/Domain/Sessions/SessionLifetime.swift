package import Time

/// The part of a session that says whether it is active, and how recently it was used.
package struct SessionLifetime: Equatable, Sendable {
    package let epoch: Int64
    package let lastUsedAt: Instant
    package let idleExpiresAt: Instant
    package let absoluteExpiresAt: Instant
    package let passkey: String?

    package init(
        epoch: Int64, lastUsedAt: Instant, idleExpiresAt: Instant, absoluteExpiresAt: Instant,
        passkey: String?
    ) {
        self.epoch = epoch
        self.lastUsedAt = lastUsedAt
        self.idleExpiresAt = idleExpiresAt
        self.absoluteExpiresAt = absoluteExpiresAt
        self.passkey = passkey
    }

    /// From this instant on the session has ended.
    package var expiresAt: Instant { min(idleExpiresAt, absoluteExpiresAt) }
}

extension Session {
    package var lifetime: SessionLifetime {
        SessionLifetime(
            epoch: epoch, lastUsedAt: lastUsedAt, idleExpiresAt: idleExpiresAt,
            absoluteExpiresAt: absoluteExpiresAt, passkey: origin.passkey)
    }
}

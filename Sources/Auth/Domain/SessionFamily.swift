package import Time

/// One signed-in device: every refresh token that descends from one sign-in.
///
/// The whole of refresh is decided here, by a monotonic generation and without I/O; the shell
/// around it (`RefreshSession`) carries the verdict out as one conditional write.
package struct SessionFamily: Equatable, Sendable {
    package let id: SessionID
    package let user: UserID
    /// The generation of the one refresh token that is current.
    package var generation: Int64
    /// Goes into each token of this family, so that tokens cannot be computed without this row.
    package let seed: [UInt8]
    /// SHA-256 of the current refresh token.
    package var currentHash: [UInt8]
    package let epoch: Int64
    package let createdAt: Instant
    package var lastUsedAt: Instant
    package var idleExpiresAt: Instant
    package let absoluteExpiresAt: Instant
    package let origin: SessionOrigin

    package init(
        id: SessionID, user: UserID, generation: Int64, seed: [UInt8], currentHash: [UInt8],
        epoch: Int64, createdAt: Instant, lastUsedAt: Instant, idleExpiresAt: Instant,
        absoluteExpiresAt: Instant, origin: SessionOrigin
    ) {
        self.id = id
        self.user = user
        self.generation = generation
        self.seed = seed
        self.currentHash = currentHash
        self.epoch = epoch
        self.createdAt = createdAt
        self.lastUsedAt = lastUsedAt
        self.idleExpiresAt = idleExpiresAt
        self.absoluteExpiresAt = absoluteExpiresAt
        self.origin = origin
    }

    /// From this instant on the family does not exist.
    package var expiresAt: Instant { min(idleExpiresAt, absoluteExpiresAt) }

    /// What a presented token of `generation` means now.
    package func present(
        generation presented: Int64, at now: Instant, grace: Span
    ) -> Verdict {
        if now >= expiresAt { return .expired }
        switch generation - presented {
        case 0: return .advance
        case 1: return now - lastUsedAt < grace ? .repeatSuccessor : .reuse(.previous)
        case 2...: return .reuse(.older)
        default: return .unknown
        }
    }

    package enum Verdict: Equatable, Sendable {
        /// The current token: its successor takes its place.
        case advance
        /// The token before, inside the window, its successor never used: the answer was lost or
        /// two callers ran side by side. They all get the same successor.
        case repeatSuccessor
        /// A token that its owner no longer holds: RFC 9700 section 4.14.2.
        case reuse(ReuseClass)
        case expired
        /// A generation that was never issued.
        case unknown
    }

    package enum ReuseClass: String, Equatable, Sendable { case previous, older }
}

/// Where a session was started: shown to its owner, who recognises their own devices by it.
package struct SessionOrigin: Equatable, Sendable {
    package var provider: String
    package var deviceName: String?
    package var deviceSystem: String?
    package var address: String?
    package var userAgent: String?

    package init(
        provider: String, deviceName: String? = nil, deviceSystem: String? = nil,
        address: String? = nil, userAgent: String? = nil
    ) {
        self.provider = provider
        self.deviceName = deviceName
        self.deviceSystem = deviceSystem
        self.address = address
        self.userAgent = userAgent
    }
}

package import Time

/// One signed-in device: every refresh token that descends from one sign-in.
///
/// What a refresh means is decided here, by a monotonic generation and without I/O; the operation
/// around it (`RefreshSession`) carries the verdict out as one conditional write.
package struct SessionFamily: Equatable, Sendable {
    package let id: SessionID
    package let user: UserID
    /// The generation of the one refresh token that is current.
    package var generation: Int64
    /// Goes into each token of this family, so that tokens cannot be computed without this row.
    package let seed: [UInt8]
    /// The user's epoch when the session was opened.
    package let epoch: Int64
    package let createdAt: Instant
    /// When the current generation was issued.
    package var lastUsedAt: Instant
    package var idleExpiresAt: Instant
    package let absoluteExpiresAt: Instant
    package let origin: SessionOrigin
    /// Drawn at each write of the row: when the answer to a write is lost, reading the row
    /// tells its writer whether the write was made.
    package var writer: [UInt8]
    /// The refreshes of the current window, counted only when they succeed.
    package var refreshes: RequestCount

    package init(
        id: SessionID, user: UserID, generation: Int64, seed: [UInt8], epoch: Int64,
        createdAt: Instant, lastUsedAt: Instant, idleExpiresAt: Instant,
        absoluteExpiresAt: Instant, origin: SessionOrigin, writer: [UInt8],
        refreshes: RequestCount = RequestCount(window: 0, count: 0)
    ) {
        self.id = id
        self.user = user
        self.generation = generation
        self.seed = seed
        self.epoch = epoch
        self.createdAt = createdAt
        self.lastUsedAt = lastUsedAt
        self.idleExpiresAt = idleExpiresAt
        self.absoluteExpiresAt = absoluteExpiresAt
        self.origin = origin
        self.writer = writer
        self.refreshes = refreshes
    }

    /// From this instant on the session does not exist.
    package var expiresAt: Instant { min(idleExpiresAt, absoluteExpiresAt) }

    /// What a presented refresh token of `generation` means now.
    package func present(
        generation presented: Int64, at now: Instant, rotation: Rotation
    ) -> Verdict {
        if now >= expiresAt { return .expired }
        switch (rotation, generation - presented) {
        case (.never, 0): return .keep
        case (.everyUse, 0): return .advance
        case (.everyUse(let grace), 1):
            return now - lastUsedAt < grace ? .repeatSuccessor : .reuse(.previous)
        case (_, 1...): return .reuse(.older)
        default: return .unknown
        }
    }

    package enum Verdict: Equatable, Sendable {
        /// The current token: its successor replaces it.
        case advance
        /// The previous token, within the grace period, its successor unused: the answer was lost,
        /// or two requests ran in parallel. They all get the same successor.
        case repeatSuccessor
        /// Refresh tokens of this contract are not replaced.
        case keep
        /// A token that has been replaced: it, or its successor, was stolen (RFC 9700 section
        /// 4.14.2).
        case reuse(ReuseClass)
        case expired
        /// A generation that was never issued.
        case unknown
    }

    package enum ReuseClass: String, Equatable, Sendable { case previous, older }
}

/// Where a session was started: shown to its owner to recognise devices by.
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

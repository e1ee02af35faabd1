package import Time

/// One signed-in device: all refresh tokens that descend from one sign-in.
///
/// Refresh tokens are judged here, by generation and without I/O; `RefreshSession` applies the
/// decision with one conditional write.
package struct Session: Equatable, Sendable {
    package let id: SessionID
    package let user: UserID
    /// The generation of the current refresh token.
    package var generation: Int64
    /// The seed is used to derive each token, so that tokens cannot be computed without this row.
    package let seed: [UInt8]
    /// The user's epoch when the session was created.
    package let epoch: Int64
    /// When the current generation was issued.
    package var lastUsedAt: Instant
    package var idleExpiresAt: Instant
    /// The session's latest end. A refresh extends it only for a guest, who cannot sign in again.
    package var absoluteExpiresAt: Instant
    package var origin: SessionOrigin
    /// A random value, new with each write: if the response to a write is lost, the writer can read
    /// the row to find out whether the write took effect.
    package var writer: [UInt8]
    /// The number of successful refreshes in the current window.
    package var refreshes: RequestCount
    /// The master key from which the token of the current generation is derived; empty in rows that
    /// were written before this attribute existed.
    package var keyID: [UInt8]
    /// The JWK thumbprint of the client's key: the session's tokens need a proof of it (RFC 9449).
    /// nil: its tokens are bearer tokens.
    package var clientKey: String?
    /// The generation of the first token that is bound to `clientKey`. Older ones were bearer
    /// tokens, whose reuse is detected even without a proof: an attacker who binds a stolen token
    /// must not evade the detection.
    package var boundGeneration: Int64
    /// Proofs of the user at the sign-in and since then.
    package var proofs: SessionProofs
    /// Set if the session belongs to a third-party client and not to a device of the user.
    package let grant: ClientGrant?
    /// The third-party clients that are notified when this session of a device ends, the latest
    /// last.
    package var notifies: [String]

    package init(
        id: SessionID, user: UserID, generation: Int64, seed: [UInt8], epoch: Int64,
        proofs: SessionProofs, lastUsedAt: Instant, idleExpiresAt: Instant,
        absoluteExpiresAt: Instant, origin: SessionOrigin, writer: [UInt8],
        refreshes: RequestCount = RequestCount(window: 0, count: 0), keyID: [UInt8] = [],
        clientKey: String? = nil, boundGeneration: Int64 = 0, grant: ClientGrant? = nil,
        notifies: [String] = []
    ) {
        self.id = id
        self.user = user
        self.generation = generation
        self.seed = seed
        self.epoch = epoch
        self.proofs = proofs
        self.lastUsedAt = lastUsedAt
        self.idleExpiresAt = idleExpiresAt
        self.absoluteExpiresAt = absoluteExpiresAt
        self.origin = origin
        self.writer = writer
        self.refreshes = refreshes
        self.keyID = keyID
        self.clientKey = clientKey
        self.boundGeneration = boundGeneration
        self.grant = grant
        self.notifies = notifies
    }

    /// When the user signed in. A session that replaces another keeps the time of the other.
    package var createdAt: Instant { proofs.signIn.provenAt }

    /// From this instant on the session has ended.
    package var expiresAt: Instant { lifetime.expiresAt }

    /// The decision on a presented refresh token of a generation.
    package func present(
        generation presented: Int64, at now: Instant, rotation: Rotation
    ) -> TokenUse {
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

    package enum TokenUse: Equatable, Sendable {
        /// The current token: it is replaced by its successor.
        case advance
        /// The previous token, within the grace period and with an unused successor: the response
        /// was lost, or two requests ran in parallel. All of them get the same successor.
        case repeatSuccessor
        /// This contract does not rotate refresh tokens.
        case keep
        /// A replaced token: it, or its successor, was stolen (RFC 9700 section 4.14.2).
        case reuse(ReuseClass)
        case expired
        /// A generation that was never issued.
        case unknown
    }

    package enum ReuseClass: String, Equatable, Sendable { case previous, older }
}

/// Where a session was started, shown to the user to recognise devices.
package struct SessionOrigin: Equatable, Sendable {
    package var provider: String
    package var deviceName: String?
    package var deviceSystem: String?
    package var address: String?
    package var userAgent: String?
    /// The device, in contracts that keep devices.
    package var device: DeviceID?
    /// The passkey that began the session: it ends when the passkey is removed.
    package var passkey: String?

    package init(
        provider: String, deviceName: String? = nil, deviceSystem: String? = nil,
        address: String? = nil, userAgent: String? = nil, device: DeviceID? = nil,
        passkey: String? = nil
    ) {
        self.provider = provider
        self.deviceName = deviceName
        self.deviceSystem = deviceSystem
        self.address = address
        self.userAgent = userAgent
        self.device = device
        self.passkey = passkey
    }
}

internal import AuthDomain
internal import AuthRecords
internal import KeyValueStore
package import Time

package enum SignInResult: Sendable {
    case session(SessionTokens)
    /// The account has a second factor: `CompleteSignIn` opens the session.
    case secondFactorRequired(SecondFactorTicket)

    /// The tokens, for contracts that have no way to request a second factor.
    package var tokens: SessionTokens {
        get throws(AuthError) {
            guard case .session(let tokens) = self else { throw .secondFactor(.required) }
            return tokens
        }
    }
}

/// The right to present the second factor of a sign-in. It cannot be printed.
package struct SecondFactorTicket: Sendable, CustomStringConvertible, CustomReflectable {
    private let text: String
    package let lifetime: Span
    /// Whether a passkey can be given instead of a code.
    package let acceptsPasskey: Bool

    fileprivate init(_ text: String, lifetime: Span, acceptsPasskey: Bool) {
        self.text = text
        self.lifetime = lifetime
        self.acceptsPasskey = acceptsPasskey
    }

    /// The ticket's text, for the response body.
    package func reveal() -> String { text }

    package var description: String { "<second factor ticket>" }
    package var customMirror: Mirror { Mirror(self, children: []) }
}

/// The result of a proven first factor, and its writes.
enum FirstFactor {
    case session(OpenedSession)
    case ticket(SecondFactorTicket, Write)

    var writes: [Write] {
        switch self {
        case .session(let session): session.writes
        case .ticket(_, let write): [write]
        }
    }

    var session: SessionID? {
        if case .session(let session) = self { session.id } else { nil }
    }

    /// The event in the audit log.
    var event: AuditEvent {
        switch self {
        case .session: .signedIn
        case .ticket: .secondFactorRequired
        }
    }

    /// Call it after the writes are committed.
    func deliver() { if case .session(let session) = self { session.notice.deliver() } }

    func result(
        for user: User, at now: Instant
    ) throws(AuthError) -> SignInResult {
        switch self {
        case .session(let session): .session(try session.tokens(for: user, at: now))
        case .ticket(let ticket, _): .secondFactorRequired(ticket)
        }
    }
}

extension AuthServices {
    /// The session of a proven sign-in, or the ticket for the second factor that it needs.
    func firstFactor(
        of proven: ProvenSignIn, _ approval: SignInApproval, _ signer: AccessTokenSigner,
        _ audit: inout AuditTrail, _ caller: Caller, at now: Instant
    ) throws(AuthError) -> FirstFactor {
        let (user, claim, passkey) = (proven.user, proven.device, proven.passkey)
        var origin = SessionOrigin(
            provider: proven.provider, deviceName: claim.name, deviceSystem: claim.system,
            address: caller.address, userAgent: caller.userAgent, passkey: passkey?.passkey)
        var recognition: DeviceRecognition?
        if policy.devices != nil {
            let device = DeviceID(
                of: user.id, fingerprint: claim.fingerprint, name: origin.deviceName,
                userAgent: origin.userAgent)
            origin.device = device
            recognition = DeviceRecognition(
                self, device, claim, of: user, from: origin, proven.history, at: now)
        }
        let since = inherited(
            by: proven.provider, passkey: origin.passkey, password: proven.password, of: user,
            at: now)
        let permit =
            passkey.flatMap { SessionPermit($0, of: user, approval, at: now) }
            ?? SessionPermit(firstFactorOf: user, proven.method, approval, at: now)
            ?? recognition?.trusted.flatMap {
                SessionPermit($0, proven.method, of: user, approval, at: now)
            }
        if let permit {
            return .session(
                try OpenedSession(
                    self, permit.inheriting(since), origin, recognition, proven.history, signer,
                    &audit, caller, at: now))
        }
        guard user.hasSecondFactor else { throw .hook(.secondFactorNeeded) }
        guard let policy = policy.secondFactors else { throw .secondFactor(.required) }
        let (text, link) = AccountLink.make(for: user.id, random: random)
        let pending = PendingSignIn(
            epoch: user.epoch, provider: origin.provider, method: proven.method,
            deviceName: origin.deviceName, deviceSystem: origin.deviceSystem,
            device: origin.device, passkey: origin.passkey, inherited: since)
        let row = pending.item(link, expiresAt: now + policy.ticketLifetime)
        return .ticket(
            SecondFactorTicket(
                text, lifetime: policy.ticketLifetime,
                acceptsPasskey: passkey == nil && self.policy.passkeys != nil
                    && user.identities.contains(where: \.isPasskey)),
            .put(row, when: [.absent]))
    }
}

/// A new session and its device.
struct OpenedSession {
    let notice: OwnerNotice
    private let opening: SessionOpening
    private let token: DeviceToken?
    private let deviceWrites: [Write]

    init(
        _ auth: AuthServices, _ permit: SessionPermit, _ origin: SessionOrigin,
        _ recognition: DeviceRecognition?, _ history: SignInHistory, _ signer: AccessTokenSigner,
        _ audit: inout AuditTrail, _ caller: Caller, at now: Instant
    ) throws(AuthError) {
        opening = try SessionOpening(
            auth, for: permit, from: origin, beside: history, signer, &audit, caller,
            at: now)
        guard let recognition, let policy = auth.policy.devices else {
            (notice, token, deviceWrites) = (.none, nil, [])
            return
        }
        notice = try recognition.notice(auth, to: permit.user, caller, at: now)
        token = recognition.token
        deviceWrites =
            recognition.writes(auth, of: permit.user.id, policy, at: now)
            + notice.writes
    }

    /// Completes a sign-in that was waiting for its second factor.
    init(
        _ auth: AuthServices, _ permit: SessionPermit, _ pending: PendingSignIn,
        _ history: SignInHistory, _ signer: AccessTokenSigner, _ audit: inout AuditTrail,
        _ caller: Caller, at now: Instant
    ) throws(AuthError) {
        let origin = SessionOrigin(
            provider: pending.provider, deviceName: pending.deviceName,
            deviceSystem: pending.deviceSystem, address: caller.address,
            userAgent: caller.userAgent, device: pending.device, passkey: pending.passkey)
        let recognition = origin.device.map { device in
            DeviceRecognition(
                auth, device, DeviceClaim(), of: permit.user, from: origin, history, at: now)
        }
        try self.init(
            auth, permit.inheriting(pending.inherited), origin, recognition, history, signer,
            &audit, caller, at: now)
    }

    var id: SessionID { opening.session.id }
    var writes: [Write] { opening.writes + deviceWrites }

    func tokens(
        for user: User, at now: Instant
    ) throws(AuthError) -> SessionTokens {
        var tokens = try opening.tokens(for: user, at: now)
        tokens.deviceToken = token
        return tokens
    }
}

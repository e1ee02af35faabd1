package import AuthDomain
internal import AuthRecords
internal import KeyValueStore
internal import Time

/// Enables the second factor with the first code of the app, and returns recovery codes, once.
///
/// Every session ends, and the caller gets a new one: a session that an attacker opened before must
/// not survive (ASVS 5.0, 7.4.3).
package struct ConfirmAuthenticator: Sendable {
    let auth: AuthServices

    package struct Output: Sendable {
        package let tokens: SessionTokens
        package let recoveryCodes: [RecoveryCode]
    }

    package func callAsFunction(
        code: String, _ caller: Caller
    ) throws(AuthError) -> Output {
        let signer = try auth.accessTokens.signer(for: .confirmAuthenticator, caller)

        // 1. Open: authenticate, and read the enrolled app.
        let owner = try FactorOwner(auth, caller, for: .confirmAuthenticator)
        let now = auth.clock.now()
        let check = try owner.confirm(auth, code, caller, at: now)

        // 2. Close: write the factor, the end of every session, and a new one.
        let codes = (0..<RecoveryCode.count).map { _ in RecoveryCode(random: auth.random) }
        let user = owner.principal.user
        let change = try FactorChange(
            auth, owner, .secondFactorEnabled, signer, caller, at: now
        ) { $0.hasSecondFactor = true }
        let factor = check.write { factor in
            factor.state = .enabled
            factor.recoveryCodes = codes.map { $0.hash(of: user.id) }
        }
        return Output(
            tokens: try change.close(auth, factor, at: now), recoveryCodes: codes)
    }
}

/// Enables or removes a second factor: sets the account's flag, ends every session, and opens a new
/// one for the caller.
struct FactorChange {
    private let user: User
    private let session: SessionOpening
    private let writes: [Write]
    private let change: UndoableChange
    private let audit: AuditTrail

    init(
        _ auth: AuthServices, _ owner: FactorOwner, _ event: AuditEvent,
        _ signer: AccessTokenSigner, _ caller: Caller, at now: Instant, change: (inout User) -> Void
    ) throws(AuthError) {
        let principal = owner.principal
        var changed = principal.user
        change(&changed)
        changed.epoch += 1
        changed.updatedAt = now
        let undoable = try auth.undoable(
            .secondFactorChanged, of: principal.user, to: principal.user,
            saying: [event == .secondFactorEnabled ? "added" : "removed": now.iso8601Seconds],
            since: principal.session.proofs.since, caller, at: now)
        changed.add(undoable.point, at: now)
        let next = changed
        var audit = owner.audit(auth)
        session = try SessionOpening(
            auth,
            for: SessionPermit(
                replacing: principal, of: next,
                principal.session.proofs.adding(.authenticatorApp)),
            from: principal.session.origin, beside: SignInHistory(), signer, &audit, caller,
            at: now)
        audit.record(event, session: session.session.id, caller, at: now)
        self.audit = audit
        self.change = undoable
        user = next
        writes =
            [
                UserRecord.replacing(principal.user) { $0 = next },
                auth.deletion(of: principal.session, when: [.present]),
            ] + session.writes + undoable.writes
    }

    /// - Parameter factor: the write of the factor's row, on the condition that the row is
    ///   unchanged.
    func close(
        _ auth: AuthServices, _ factor: Write, at now: Instant
    ) throws(AuthError) -> SessionTokens {
        var audit = audit
        guard try auth.commit([factor] + writes, &audit) else { throw .unavailable(.contention) }
        change.notice.deliver()
        return try session.tokens(for: user, at: now)
    }
}

extension AuthServices {
    package var confirmAuthenticator: ConfirmAuthenticator { ConfirmAuthenticator(auth: self) }
}

extension AuthOperation {
    package static let confirmAuthenticator = AuthOperation(
        "confirmAuthenticator", servedBy: "totp", audited: .caller)
}

internal import AuthDomain
internal import AuthRecords
internal import Cryptography
internal import KeyValueStore
internal import Time

/// A new session and its writes.
struct SessionOpening {
    let session: Session
    let refresh: RefreshToken
    let writes: [Write]
    private let signer: AccessTokenSigner
    private let added: AddedClaims

    /// The maximum number of sessions that one sign-in ends, limited by the size of a transaction.
    private static let evictedMax = 40
}

extension SessionOpening {
    /// - Parameters:
    ///   - history: the account's sessions. Including the new one, at most
    ///     `SessionPolicy.sessionsMax` sessions remain active.
    ///   - audit: the account's chain, which records the sessions that end.
    init(
        _ auth: AuthServices, for permit: SessionPermit, from origin: SessionOrigin,
        beside history: SignInHistory, _ signer: AccessTokenSigner, _ audit: inout AuditTrail,
        _ caller: Caller, at now: Instant
    ) throws(AuthError) {
        let (policy, user, proofs) = (auth.policy.sessions, permit.user, permit.proofs)
        let session = Session(
            id: SessionID(random: auth.random), user: user.id, generation: 0,
            seed: auth.random.bytes(32), epoch: user.epoch,
            proofs: proofs, lastUsedAt: now,
            idleExpiresAt: now + auth.policy.idleLifetime(of: user),
            absoluteExpiresAt: proofs.signIn.provenAt + policy.absoluteLifetime, origin: origin,
            writer: auth.random.bytes(8), keyID: try auth.refreshTokens.keyID,
            clientKey: try auth.keyToBind(caller))
        var writes: [Write] = [.put(SessionRecord.item(session), when: [.absent])]
        if let row = try auth.lookupRow(of: session) { writes.append(.put(row, when: [.absent])) }
        let surplus = try history.sessions(after: policy.sessionsMax - 1)
        for evicted in surplus.suffix(Self.evictedMax) {
            writes.append(auth.deletion(of: evicted))
            audit.record(.sessionEvicted, session: evicted.id, caller, at: now)
        }
        self.init(
            session: session, refresh: try auth.refreshTokens.token(of: session), writes: writes,
            signer: signer, added: try signer.claims(for: user, session, permit.reason))
    }

    /// Call it after the writes are committed.
    func tokens(
        for user: User, at now: Instant
    ) throws(AuthError) -> SessionTokens {
        SessionTokens(
            access: try signer.issue(to: user, session, adding: added, at: now),
            refresh: refresh, session: session.id, user: user)
    }
}

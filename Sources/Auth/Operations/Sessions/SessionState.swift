internal import AuthDomain
internal import AuthRecords
internal import KeyValueStore
internal import Time

/// A session and its user from one read; nil if missing.
struct SessionState {
    let session: Session?
    let user: User?

    static func keys(_ session: SessionID, of user: UserID) -> [ItemKey] {
        [StoreLayout.session(session, of: user), StoreLayout.profile(user)]
    }

    /// - Parameter items: must include `keys`.
    init(_ items: ReadItems, _ id: SessionID, of owner: UserID) throws(AuthError) {
        session = try items[StoreLayout.session(id, of: owner)].map { item throws(AuthError) in
            try decoded(SessionRecord.session(item, id: id, user: owner))
        }
        user = try items.user(owner)
    }

    func end(at now: Instant) -> SessionEnd? { SessionEnd.of(session, user, at: now) }
}

extension AuthServices {
    /// Whether the session was still active after the hook `token` had answered. This check is for
    /// operations that do not write the session's row.
    func isStillActive(_ session: Session, _ added: AddedClaims) throws(AuthError) -> Bool {
        guard !added.checks.isEmpty else { return true }
        let row = StoreLayout.session(session.id, of: session.user)
        return try store.attempt(added.checks + [.check(row, when: [.present])])
    }

    /// Reads the rows again, after another request has changed one of them.
    func sessionState(_ session: SessionID, of user: UserID) throws(AuthError) -> SessionState {
        try SessionState(
            try store.get(SessionState.keys(session, of: user)), session, of: user)
    }

    /// Revokes after token reuse: the session, and all of the user's sessions if the contract says
    /// so. False if the session has ended or the user was changed concurrently.
    ///
    /// Only the request that ends the session records the reuse. If each of many concurrent
    /// requests did, they would all compete for the head of the audit chain, and some would lose
    /// every attempt.
    func revoke(
        _ session: Session, _ user: User, for reuse: Session.ReuseClass,
        _ audit: inout AuditTrail, _ caller: Caller, at now: Instant
    ) throws(AuthError) -> Bool {
        var writes = [deletion(of: session, when: [.present])]
        audit.record(
            .refreshTokenReused, session: session.id, caller, detail: reuse.rawValue, at: now)
        if policy.sessions.reuseScope == .user {
            writes.append(UserRecord.replacing(user) { $0.epoch += 1 })
        }
        return try commit(writes, &audit)
    }
}

internal import AuthDomain
internal import AuthRecords
internal import KeyValueStore
internal import Time

/// A session and its user from one read; nil if missing.
struct SessionState {
    let family: SessionFamily?
    let user: User?

    static func keys(_ session: SessionID, of user: UserID) -> [ItemKey] {
        [StoreLayout.session(session, of: user), StoreLayout.profile(user)]
    }

    /// - Parameter items: the items of `keys`, in order.
    init(
        _ items: ArraySlice<Item?>, _ session: SessionID, of userID: UserID
    ) throws(AuthError) {
        (family, user) = try stored { () throws(StoreFailure) in
            var family: SessionFamily?
            var user: User?
            if case .some(.some(let item)) = items.first {
                family = try SessionRecord.family(item, id: session, user: userID)
            }
            if case .some(.some(let item)) = items.dropFirst().first {
                user = try UserRecord.user(item, id: userID)
            }
            return (family, user)
        }
    }

    func end(at now: Instant) -> SessionEnd? { SessionEnd.of(family, user, at: now) }
}

extension AuthServices {
    /// Reads again, after a lost race.
    func sessionState(_ session: SessionID, of user: UserID) throws(AuthError) -> SessionState {
        let items = try stored { () throws(StoreFailure) in
            try store.get(SessionState.keys(session, of: user))
        }
        return try SessionState(items[...], session, of: user)
    }

    /// Revokes after token reuse: the session, and all of the user's sessions if the contract says
    /// so. False if the session has ended or the user was changed concurrently.
    ///
    /// Only the request that ends the session records the reuse. If each of many concurrent ones
    /// did, all would compete for the end of the audit chain, and some would lose every attempt.
    func revoke(
        _ family: SessionFamily, _ user: User, for reuse: SessionFamily.ReuseClass,
        _ audit: inout AuditTrail, _ caller: Caller, at now: Instant
    ) throws(AuthError) -> Bool {
        var writes: [Write] = [
            .delete(StoreLayout.session(family.id, of: user.id), when: [.present])
        ]
        audit.record(
            .refreshTokenReused, session: family.id, caller, detail: reuse.rawValue, at: now)
        if policy.sessions.reuseScope == .user {
            writes.append(UserRecord.replacing(user) { $0.epoch += 1 })
        }
        return try commit(writes, &audit)
    }
}

package import AuthDomain
internal import AuthRecords
internal import KeyValueStore
internal import Time

/// The sessions of a user's devices, for administrators.
package struct UserSessions: Sendable {
    let auth: AuthServices

    /// Lists the active sessions, most recently used first.
    ///
    /// - Parameter id: the user's ID, as clients see it.
    package func list(of id: String) throws(AuthError) -> [Session] {
        let sessions = try auth.sessions(of: try auth.user(shownAs: id))
        return Array(sessions.prefix(ListSessions.listedMax))
    }

    /// Ends one session, as the user could.
    package func end(
        _ session: String, of id: String, because reason: String?,
        by administrator: Administrator, _ caller: Caller
    ) throws(AuthError) {
        let user = try auth.administeredUser(id, administrator)
        guard let session = SessionID(parsing: session) else { throw .session(.notFound) }
        let (key, chain) = (StoreLayout.session(session, of: user.id), AuditChain.account(user.id))
        for _ in auth.attempts {
            let items = try auth.store.get([key, chain.headKey] + administrator.keys)
            let checks = try auth.checks(of: administrator, as: .support, items)
            guard let row = items[key] else { throw .session(.notFound) }
            let found = try decoded(SessionRecord.session(row, id: session, user: user.id))
            var audit = try auth.audit(chain, items)
            audit.record(
                .sessionRevoked, session: session, caller, by: administrator.name, because: reason,
                at: auth.clock.now())
            let writes = [auth.deletion(of: found, when: [.present])] + checks
            if try auth.commit(writes, &audit) { return }
        }
        throw .unavailable(.contention)
    }
}

extension AuthServices {
    package var userSessions: UserSessions { UserSessions(auth: self) }
}

extension AuthOperation {
    package static let listUserSessions = AuthOperation(
        "listUserSessions", servedBy: "admin", counting: [])
    package static let endUserSession = administration("endUserSession")
}

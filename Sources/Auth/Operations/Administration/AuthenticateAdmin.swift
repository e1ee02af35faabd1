package import AuthDomain
internal import AuthRecords
internal import KeyValueStore
internal import Time

/// Finds the active session of an administrator's cookie.
package struct AuthenticateAdmin: Sendable {
    /// The minimum interval between writes that extend a session: a page of many requests writes
    /// once.
    private static let touchInterval = Span.minutes(1)

    let auth: AuthServices

    package func callAsFunction(_ token: String?) throws(AuthError) -> AdminSession {
        guard let hash = AdminSessionToken.hash(token) else {
            throw .administration(.sessionMissing)
        }
        let found = try auth.store.get(StoreLayout.adminSession(hash: hash)).map {
            item throws(AuthError) in try decoded(AdminSessionRecord.session(item))
        }
        let now = auth.clock.now()
        guard var session = found, now < session.expiresAt(auth.policy.admin) else {
            throw .administration(.sessionMissing)
        }
        guard now - session.lastUsedAt >= Self.touchInterval else { return session }
        let unchanged = AdminSessionRecord.unchanged(session)
        session.lastUsedAt = now
        let item = AdminSessionRecord.item(
            session, hash: hash, expiresAt: session.expiresAt(auth.policy.admin))
        // A failed write does not matter: if another request has ended the session, this request
        // was admitted before that.
        _ = try auth.store.attempt([.put(item, when: unchanged)])
        return session
    }
}

extension AuthServices {
    package var authenticateAdmin: AuthenticateAdmin { AuthenticateAdmin(auth: self) }
}

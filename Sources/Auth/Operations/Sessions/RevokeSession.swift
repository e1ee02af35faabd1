package import AuthDomain
internal import AuthRecords
internal import KeyValueStore
internal import Time

extension AuthServices {
    /// Ends one of the user's own sessions by ID. The key begins with the user's ID, so another
    /// user's session is not found.
    package func revokeSession(
        _ id: String, _ principal: Principal, _ caller: Caller
    ) throws(AuthError) {
        guard let session = SessionID(parsing: id) else { throw .session(.notFound) }
        var audit = audit(.account(principal.user.id), principal.auditHead)
        audit.record(.sessionRevoked, session: session, caller, at: clock.now())
        let key = StoreLayout.session(session, of: principal.user.id)
        let isUntold = policy.oauth == nil ? Condition.present : SessionRecord.notifiesNobody
        if try commit([.delete(key, when: [isUntold])], &audit) { return }
        // Third-party clients may have to be notified of the end. The row lists these clients.
        for _ in attempts where policy.oauth != nil {
            guard let row = try store.get(key) else { break }
            let found = try decoded(
                SessionRecord.session(row, id: session, user: principal.user.id))
            if try commit([deletion(of: found)], &audit) { return }
        }
        throw .session(.notFound)
    }
}

extension AuthOperation {
    package static let revokeSession = AuthOperation(
        "revokeSession", servedBy: "sessions", audited: .caller)
}

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
        let deletion = Write.delete(
            StoreLayout.session(session, of: principal.user.id), when: [.present])
        guard try commit([deletion], &audit) else { throw .session(.notFound) }
    }
}

extension AuthOperation {
    package static let revokeSession = AuthOperation(
        "revokeSession", servedBy: "sessions", audited: .caller)
}

package import AuthDomain
internal import AuthRecords
internal import KeyValueStore
internal import Time

/// Ends one of the user's own sessions by ID. The key begins with the user's ID, so another user's
/// session is not found.
package struct RevokeSession: Sendable {
    private let auth: AuthServices

    fileprivate init(_ auth: AuthServices) { self.auth = auth }

    package func callAsFunction(
        _ id: String, _ principal: Principal, _ caller: Caller
    ) throws(AuthError) {
        guard let session = SessionID(parsing: id) else { throw .session(.notFound) }
        var audit = auth.audit(.account(principal.user.id), principal.auditHead)
        audit.record(.sessionRevoked, session: session, caller, at: auth.clock.now())
        let deletion = Write.delete(
            StoreLayout.session(session, of: principal.user.id), when: [.present])
        guard try auth.commit([deletion], &audit) else { throw .session(.notFound) }
    }
}

extension AuthServices {
    package var revokeSession: RevokeSession { RevokeSession(self) }
}

extension AuthOperation {
    package static let revokeSession = AuthOperation(
        "revokeSession", servedBy: "sessions", audited: .caller)
}

internal import Time
internal import AuthDomain
internal import AuthRecords
internal import KeyValueStore

/// Ends one of the caller's own sessions by its id. The key begins with the caller's own user id,
/// so the session of somebody else is simply not there.
package struct RevokeSession: Sendable {
    private let ground: Ground
    private let authenticate: Authenticate

    package init(_ ground: Ground, authenticate: Authenticate) {
        self.ground = ground
        self.authenticate = authenticate
    }

    package func callAsFunction(_ id: String, _ context: RequestContext) throws(Problem) {
        let principal = try authenticate(context.bearer)
        guard let session = SessionID(parsing: id) else { throw .sessionNotFound }
        let audit = AuditRecord.write(
            .sessionRevoked, user: principal.user.id, session: session,
            address: context.address, at: ground.clock.now(), random: ground.random)
        let ended = try attempted { () throws(StoreFailure) in
            try ground.store.write([
                .delete(
                    StoreLayout.session(session, of: principal.user.id), when: [.present]),
                audit,
            ])
        }
        guard ended else { throw .sessionNotFound }
    }
}

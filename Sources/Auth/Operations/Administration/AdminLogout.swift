package import AuthDomain
internal import AuthRecords
internal import KeyValueStore
internal import Time

extension AuthServices {
    /// Ends an administrator's session. Also succeeds if the session had ended before.
    package func adminLogout(_ token: String?, _ caller: Caller) throws(AuthError) {
        guard let hash = AdminSessionToken.hash(token) else { return }
        var audit = audit(.administration)
        audit.record(.adminLoggedOut, caller, at: clock.now())
        // The event is written only if the session exists: arbitrary cookies must not fill the
        // audit log.
        _ = try commit(
            [.delete(StoreLayout.adminSession(hash: hash), when: [.present])], &audit)
    }
}

extension AuthOperation {
    package static let adminLogout = AuthOperation(
        "adminLogout", servedBy: "admin-logout", counting: [], audited: .others)
}

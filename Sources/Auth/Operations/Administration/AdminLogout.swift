package import AuthDomain
internal import AuthRecords
internal import KeyValueStore
internal import Time

/// Ends an administrator's session. Succeeds when it is over, also when it was over before.
package struct AdminLogout: Sendable {
    private let auth: AuthServices

    fileprivate init(_ auth: AuthServices) { self.auth = auth }

    package func callAsFunction(_ token: String?, _ caller: Caller) throws(AuthError) {
        guard let hash = AdminSessionToken.hash(token) else { return }
        var audit = auth.audit(.administration)
        audit.record(.adminLoggedOut, caller, at: auth.clock.now())
        // Only an existing session is audited: arbitrary cookies must not fill the audit log.
        _ = try auth.commit(
            [.delete(StoreLayout.adminSession(hash: hash), when: [.present])], &audit)
    }
}

extension AuthServices {
    package var adminLogout: AdminLogout { AdminLogout(self) }
}

extension AuthOperation {
    package static let adminLogout = AuthOperation(
        "adminLogout", servedBy: "admin-logout", counting: [], audited: .others)
}

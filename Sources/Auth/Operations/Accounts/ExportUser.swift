package import AuthDomain
internal import AuthRecords
internal import KeyValueStore
internal import Time

/// The same as `ExportAccount` for an operator, for users who cannot or do not sign in (GDPR
/// article 15). It has no route: the platform decides who may invoke the function.
package struct ExportUser: Sendable {
    let auth: AuthServices

    /// - Parameters:
    ///   - name: the user's ID as clients see it, or the address that the account claims.
    ///   - after: `AccountExport.next` of the page before.
    package func callAsFunction(
        _ name: String, after: String?
    ) throws(AuthError) -> AccountExport {
        // 1. Read every row of the account.
        guard let id = try user(name) else { throw .administration(.userNotFound) }
        let profile = StoreLayout.profile(id)
        let rows = try auth.store.everyItem(
            of: PartitionQuery(profile.partition, limit: StoreLimits.itemsPerPageMax))
        guard let item = rows.first(where: { $0.key == profile }) else {
            throw .administration(.userNotFound)
        }
        let user = try decoded(UserRecord.user(item, id: id))
        guard user.deletedAt == nil else { throw .administration(.userNotFound) }

        // 2. Read its audit events, which are in another partition.
        return try auth.export(of: user, rows, by: nil, after: after)
    }

    private func user(_ name: String) throws(AuthError) -> UserID? {
        guard let email = EmailAddress(parsing: name) else {
            return try auth.userID(shownAs: name)
        }
        let claim = try auth.store.get(StoreLayout.emailClaim(email))
        return try auth.owner(claim)
    }
}

extension AuthServices {
    package var exportUser: ExportUser { ExportUser(auth: self) }
}

extension AuthServices {
    /// Exports a user for an administrator, with an event in the audit log.
    package func exportUser(
        _ id: String, after: String?, because reason: String?, by administrator: Administrator,
        _ caller: Caller
    ) throws(AuthError) -> AccountExport {
        let export = try exportUser(id, after: after)
        var audit = audit(.account(export.user.id))
        audit.record(
            .accountExported, caller, by: administrator.name, because: reason, at: clock.now())
        guard try commit([], &audit) else { throw .unavailable(.contention) }
        return export
    }
}

extension AuthOperation {
    package static let exportUserData = AuthOperation(
        "exportUserData", servedBy: "admin", audited: .others)
    package static let exportUser = AuthOperation("exportUser", servedBy: "export")
}

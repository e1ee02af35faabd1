package import AuthDomain
internal import AuthRecords
internal import KeyValueStore

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

extension AuthOperation {
    package static let exportUser = AuthOperation("exportUser", servedBy: "export")
}

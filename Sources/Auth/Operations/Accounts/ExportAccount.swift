package import AuthDomain
internal import AuthRecords
internal import KeyValueStore
package import Time

/// Everything that is stored about a signed-in user, for the user (GDPR articles 15 and 20).
/// Secrets and hashes are named, never shown: they are of use only to a thief.
package struct ExportAccount: Sendable {
    package static let eventsPerPageMax = 1000

    let auth: AuthServices

    /// - Parameter after: `AccountExport.next` of the page before.
    package func callAsFunction(
        after: String?, _ caller: Caller
    ) throws(AuthError) -> AccountExport {
        // 1. Open: who asks, and every row of the account.
        let (principal, _, firstPage) = try auth.authenticate.open(
            caller, for: .exportAccount, reading: { _ in [] },
            listing: { user in
                PartitionQuery(
                    StoreLayout.profile(user).partition, limit: StoreLimits.itemsPerPageMax)
            })
        let user = principal.user
        let rows = try auth.store.everyItem(
            of: PartitionQuery(
                StoreLayout.profile(user.id).partition, limit: StoreLimits.itemsPerPageMax),
            first: firstPage)

        // 2. What happened to it, which is kept elsewhere.
        return try auth.export(of: user, rows, by: principal.session.id, after: after)
    }
}

package struct AccountExport: Equatable, Sendable {
    package let exportedAt: Instant
    package let user: User
    /// nil for an operator.
    package let currentSession: SessionID?
    package let sessions: [Session]
    package let devices: [Device]
    package let hasPassword: Bool
    package let providerTokens: [String]
    /// The newest first, of the time for which they are kept.
    package let events: [AuditEntry]
    /// Present when there may be more events.
    package let next: String?
}

extension AuthServices {
    /// - Parameters:
    ///   - rows: of the account's own partition.
    ///   - session: that which asks.
    func export(
        of user: User, _ rows: [Item], by session: SessionID?, after: String?
    ) throws(AuthError) -> AccountExport {
        var query = PartitionQuery(
            AuditChain.account(user.id).partition, limit: ExportAccount.eventsPerPageMax)
        // What is no place in the list begins it.
        query.after = after.flatMap { StoreLayout.isAuditPlace($0) ? $0 : nil }
        let page = try store.query(query)
        let events = try page.items.map { item throws(AuthError) in
            try decoded(AuditRecord(item).entry)
        }
        let history = try history(of: user, first: Page(items: rows, next: nil))
        return AccountExport(
            exportedAt: clock.now(), user: user, currentSession: session,
            sessions: history.sessions, devices: history.devices,
            hasPassword: rows.contains { $0.key == StoreLayout.password(of: user.id) },
            providerTokens: providerTokens(rows), events: events, next: page.next)
    }

    /// Of which providers tokens are kept, encrypted, to be revoked.
    private func providerTokens(_ rows: [Item]) -> [String] {
        rows.filter { StoreLayout.isGrant($0.key) }
            .compactMap { row in
                guard case .text(let provider)? = row.attributes["provider"] else { return nil }
                return provider
            }
    }

    package var exportAccount: ExportAccount { ExportAccount(auth: self) }
}

extension AuthOperation {
    package static let exportAccount = AuthOperation("exportAccount", servedBy: "export")
}

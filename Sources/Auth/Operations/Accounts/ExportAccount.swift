package import AuthDomain
package import AuthRecords
internal import KeyValueStore
package import Time

/// Everything that is stored about a signed-in user, for the user (GDPR articles 15 and 20).
/// Secrets and hashes are listed but not included: only an attacker could use them.
package struct ExportAccount: Sendable {
    package static let eventsPerPageMax = 1000

    let auth: AuthServices

    /// - Parameter after: `AccountExport.next` of the page before.
    package func callAsFunction(
        after: String?, _ caller: Caller
    ) throws(AuthError) -> AccountExport {
        // 1. Open: authenticate, and read every row of the account.
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

        // 2. Read its audit events, which are in another partition.
        return try auth.export(of: user, rows, by: principal.session.id, after: after)
    }
}

package struct AccountExport: Equatable, Sendable {
    package let exportedAt: Instant
    package let user: User
    /// nil if an operator exports the account.
    package let currentSession: SessionID?
    package let sessions: [Session]
    package let devices: [Device]
    package let passkeys: [ListedPasskey]
    /// The third-party programs that have access.
    package let applications: [GrantedApplication]
    /// Addresses that can be restored.
    package let formerEmails: [String]
    package let hasPassword: Bool
    package let providerTokens: [String]
    /// The events, newest first, as far back as events are kept.
    package let events: [AuditEntry]
    /// Set if there may be more events.
    package let next: String?
}

extension AuthServices {
    /// - Parameters:
    ///   - rows: the rows of the account's own partition.
    ///   - session: the session of the request.
    func export(
        of user: User, _ rows: [Item], by session: SessionID?, after: String?
    ) throws(AuthError) -> AccountExport {
        var query = PartitionQuery(
            AuditChain.account(user.id).partition, limit: ExportAccount.eventsPerPageMax)
        // An invalid position starts at the first page.
        query.after = after.flatMap { StoreLayout.isAuditPlace($0) ? $0 : nil }
        let page = try store.query(query)
        let events = try page.items.map { item throws(AuthError) in
            try decoded(AuditRecord(item).entry)
        }
        let passkeys = try rows.filter { StoreLayout.isPasskey($0.key) }
            .map { row throws(AuthError) in try decoded(PasskeyRecord.listed(row)) }
        let history = try history(of: user, first: Page(items: rows, next: nil))
        return AccountExport(
            exportedAt: clock.now(), user: user, currentSession: session,
            sessions: try history.sessions(), devices: history.devices,
            passkeys: passkeys, applications: try applications(among: rows, of: user),
            formerEmails: try rows.filter { StoreLayout.isUndoLink($0.key) }
                .map { row throws(AuthError) in try decoded(RestorableState(row)).email.text },
            hasPassword: rows.contains { $0.key == StoreLayout.password(of: user.id) },
            providerTokens: providerTokens(rows), events: events, next: page.next)
    }

    /// The providers whose tokens are stored, encrypted, to be revoked later.
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

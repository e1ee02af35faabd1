package import AuthDomain
internal import AuthRecords
internal import KeyValueStore
internal import Time

/// Events of the audit log, newest first, page by page. For an account, actions and attempts are
/// merged into one list.
package struct ListAudit: Sendable {
    package static let pageMax: Int64 = 100
    package static let pageStandard: Int64 = 50
    /// Reads one page of a chain with several queries, because a store may return short pages.
    private static let queriesMax = 16

    let auth: AuthServices

    package func callAsFunction(
        of user: UserID, limit: Int64, after: String?
    ) throws(AuthError) -> AuditPage {
        try page(of: [.account(user), .attempts(on: user)], limit: limit, after: after)
    }

    package func callAsFunction(
        of chain: AuditChain, limit: Int64, after: String?
    ) throws(AuthError) -> AuditPage {
        try page(of: [chain], limit: limit, after: after)
    }

    /// - Parameter after: `next` of the previous page. An invalid position starts at the first
    ///   page.
    private func page(
        of chains: [AuditChain], limit: Int64, after: String?
    ) throws(AuthError) -> AuditPage {
        let count = Int(min(max(limit, 1), Self.pageMax))
        var cursors = (after ?? "").split(separator: ",", omittingEmptySubsequences: false)
            .map(String.init)
        if cursors.count != chains.count { cursors = chains.map { _ in "" } }
        var lists: [ArraySlice<(entry: AuditEntry, sort: String)>] = []
        for (chain, cursor) in zip(chains, cursors) {
            lists.append(try events(of: chain, after: cursor, count: count + 1)[...])
        }
        var entries: [AuditEntry] = []
        while entries.count < count {
            var newest: Int?
            for index in lists.indices {
                guard let candidate = lists[index].first else { continue }
                if let best = newest, let other = lists[best].first,
                    other.entry.at >= candidate.entry.at
                {
                    continue
                }
                newest = index
            }
            guard let newest, let next = lists[newest].popFirst() else { break }
            entries.append(next.entry)
            cursors[newest] = next.sort
        }
        let hasMore = lists.contains { !$0.isEmpty }
        return AuditPage(
            entries: entries, next: hasMore ? cursors.joined(separator: ",") : nil)
    }

    private func events(
        of chain: AuditChain, after cursor: String, count: Int
    ) throws(AuthError) -> [(entry: AuditEntry, sort: String)] {
        var query = PartitionQuery(chain.partition, limit: count)
        if StoreLayout.auditSequence(ItemKey(chain.partition, cursor)) != nil {
            query.after = cursor
        }
        var events: [(entry: AuditEntry, sort: String)] = []
        for _ in 0..<Self.queriesMax {
            let page = try auth.store.query(query)
            for item in page.items {
                // An unreadable event was changed, which the verification reports.
                guard let record = try? AuditRecord(item) else { continue }
                events.append((record.entry, item.key.sort))
            }
            guard events.count < count, let next = page.next else { break }
            query.after = next
        }
        return Array(events.prefix(count))
    }
}

package struct AuditPage: Equatable, Sendable {
    package let entries: [AuditEntry]
    /// Set if there is more.
    package let next: String?
}

extension AuthServices {
    package var listAudit: ListAudit { ListAudit(auth: self) }
}

extension AuthOperation {
    /// A user's own events.
    package static let listAudit = AuthOperation("listAudit", servedBy: "audit")
    /// Events of an account, for administrators.
    package static let userAudit = AuthOperation("userAudit", servedBy: "audit")
    /// Events that belong to no account, for administrators.
    package static let unownedAudit = AuthOperation("unownedAudit", servedBy: "audit")
}

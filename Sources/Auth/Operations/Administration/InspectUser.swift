package import AuthDomain
package import AuthRecords
internal import Bytes
internal import KeyValueStore
internal import Time

/// Everything about one account that helps an administrator, without secrets: its own partition,
/// and the events of its chains, each checked against the audit key. Nothing is searched for, so
/// the cost depends only on the account.
package struct InspectUser: Sendable {
    package static let eventsPerPage = 50

    let auth: AuthServices

    /// - Parameters:
    ///   - id: as clients see it, or the internal one.
    ///   - after: `InspectedUser.next` of the page before; an invalid one is the first page.
    package func callAsFunction(
        _ id: String, after: String?
    ) throws(AuthError) -> InspectedUser {
        // 1. The account's rows.
        guard let id = try auth.userID(shownAs: id) ?? UserID(parsing: id) else {
            throw .administration(.userNotFound)
        }
        let profile = StoreLayout.profile(id)
        let rows = try auth.store.everyItem(
            of: PartitionQuery(profile.partition, limit: StoreLimits.itemsPerPageMax))
        guard let item = rows.first(where: { $0.key == profile }) else {
            throw .administration(.userNotFound)
        }
        let user = try decoded(UserRecord.user(item, id: id))
        guard user.deletedAt == nil else { throw .administration(.userNotFound) }
        let history = try auth.history(of: user, first: Page(items: rows, next: nil))
        let passkeys = try rows.filter { StoreLayout.isPasskey($0.key) }
            .map { row throws(AuthError) in try decoded(PasskeyRecord.listed(row)) }

        // 2. Read the account's events.
        var chains = [AuditChain.account(id), .attempts(on: id)]
        if let email = user.emailAddress { chains.append(.email(email)) }
        let events = try CheckedEvents(auth, of: chains, count: Self.eventsPerPage, after: after)
        return InspectedUser(
            user: user, sessions: try history.sessions(), devices: history.devices,
            passkeys: passkeys, applications: try auth.applications(among: rows, of: user),
            hasPassword: rows.contains { $0.key == StoreLayout.password(of: id) },
            secondFactor: user.hasSecondFactor
                ? try rows.first { $0.key == StoreLayout.secondFactor(of: id) }
                    .map { row throws(AuthError) in
                        try decoded(SecondFactorRecord.factor(row))
                    } : nil,
            events: events)
    }
}

package struct InspectedUser: Sendable {
    package let user: User
    /// The active sessions, most recently used first.
    package let sessions: [Session]
    package let devices: [Device]
    package let passkeys: [ListedPasskey]
    package let applications: [GrantedApplication]
    package let hasPassword: Bool
    package let secondFactor: SecondFactor?
    package let events: CheckedEvents
}

/// A page of the merged events of several chains, newest first, with the result of their checks.
package struct CheckedEvents: Sendable {
    package struct Event: Sendable {
        package let entry: AuditEntry
        /// Whether the event's MAC is right: then it was written with the audit key, for this
        /// place.
        package let isGenuine: Bool
    }

    package private(set) var events: [Event] = []
    /// The places where the chains differ from what was written, as far as they were read. Only the
    /// first page starts at the heads, so only there are removed events found.
    package private(set) var findings: [AuditFinding] = []
    package private(set) var next: String?

    private typealias Row = (event: Event, sort: String)

    init(
        _ auth: AuthServices, of chains: [AuditChain], count: Int, after: String?
    ) throws(AuthError) {
        var cursors = (after ?? "").split(separator: ",", omittingEmptySubsequences: false)
            .map(String.init)
        let isFirst = cursors.count != chains.count
        if isFirst { cursors = chains.map { _ in "" } }
        var lists: [ArraySlice<Row>] = []
        for (chain, cursor) in zip(chains, cursors) {
            lists.append(
                try rows(auth, chain, isFirst: isFirst, after: cursor, count: count)[...])
        }
        while events.count < count, let newest = Self.newest(lists),
            let row = lists[newest].popFirst()
        {
            events.append(row.event)
            cursors[newest] = row.sort
        }
        if lists.contains(where: { !$0.isEmpty }) { next = cursors.joined(separator: ",") }
    }

    private static func newest(_ lists: [ArraySlice<Row>]) -> Int? {
        lists.indices.filter { !lists[$0].isEmpty }.max { left, right in
            guard let one = lists[left].first, let other = lists[right].first else { return false }
            return one.event.entry.at < other.event.entry.at
        }
    }

    private mutating func rows(
        _ auth: AuthServices, _ chain: AuditChain, isFirst: Bool, after cursor: String, count: Int
    ) throws(AuthError) -> [Row] {
        var query = PartitionQuery(chain.partition, limit: count + 1)
        if StoreLayout.isAuditPlace(cursor) { query.after = cursor }
        let keys = try auth.auditKeys
        var page = Page(items: [], next: nil)
        // An event may be added between two reads, so a chain with findings is read again.
        for _ in 0..<2 {
            let read = try auth.store.read(isFirst ? [chain.headKey] : [], listing: query)
            page = read.page ?? page
            guard isFirst else { break }
            let found = walked(chain, read.items[chain.headKey], page, keys, at: auth.clock.now())
            findings = findings.filter { !$0.chain.isSame(as: chain.name) } + found
            if found.isEmpty { break }
        }
        var rows: [Row] = []
        for item in page.items {
            guard let record = try? AuditRecord(item) else {
                // On the first page, the findings of the whole chain already include this event.
                if !isFirst {
                    let number = StoreLayout.auditSequence(item.key) ?? 0
                    findings.append(AuditFinding(chain.name, .changed, number))
                }
                continue
            }
            let isGenuine = keys.isLinked(item, in: chain)
            rows.append((Event(entry: record.entry, isGenuine: isGenuine), item.key.sort))
        }
        return rows
    }
}

private func walked(
    _ chain: AuditChain, _ item: Item?, _ page: Page, _ keys: AuditKeys, at now: Instant
) -> [AuditFinding] {
    let head = item.flatMap { try? AuditHead($0) }
    var walk = AuditWalk(chain, head, isHeadUnreadable: item != nil && head == nil, keys)
    for item in page.items { walk.take(item) }
    if page.next == nil { walk.finish(at: now) }
    return walk.findings
}

extension AuthServices {
    package var inspectUser: InspectUser { InspectUser(auth: self) }
}

extension AuthOperation {
    package static let inspectUser = AuthOperation(
        "inspectUser", servedBy: "admin", counting: [])
}

package import AuthDomain
internal import AuthRecords
internal import Bytes
internal import KeyValueStore
package import Time

/// The access that a user has granted to one client.
package struct GrantedApplication: Equatable, Sendable {
    package let client: String
    /// The client's ID in a form for paths, because the ID of a client that describes itself is a
    /// URL.
    package var id: String { Self.id(of: client) }

    package static func id(of client: String) -> String { StoreLayout.applicationID(client) }

    package let name: String
    package let scope: [String]
    package let resources: [String]
    package let since: Instant
    /// When one of its grants was last used; nil if none is alive.
    package let lastUsedAt: Instant?
}

extension AuthServices {
    /// The applications that have access to the account, or that need no new consent to get access.
    package func listApplications(
        _ principal: Principal
    ) throws(AuthError) -> [GrantedApplication] {
        try listApplications(of: principal.user, first: nil)
    }

    /// Lists the applications of the access token's user.
    package func listApplications(
        _ caller: Caller
    ) throws(AuthError) -> [GrantedApplication] {
        let (principal, _, page) = try authenticate.open(
            caller, for: .listApplications, reading: { _ in [] },
            listing: StoreLayout.clientGrantsAndConsents(of:))
        return try listApplications(of: principal.user, first: page)
    }

    /// Lists a user's applications, for administrators.
    ///
    /// - Parameter id: the user's ID as clients see it.
    package func listApplications(
        ofUser id: String
    ) throws(AuthError) -> [GrantedApplication] {
        try listApplications(of: try user(shownAs: id), first: nil)
    }

    private func listApplications(
        of user: User, first: Page?
    ) throws(AuthError) -> [GrantedApplication] {
        let query = StoreLayout.clientGrantsAndConsents(of: user.id)
        return try applications(among: store.everyItem(of: query, first: first), of: user)
    }

    /// - Parameter rows: the rows of the user's grants and consents. Other rows are ignored.
    func applications(
        among rows: [Item], of user: User
    ) throws(AuthError) -> [GrantedApplication] {
        let (ids, grants, consents) = try granted(among: rows, of: user)
        let known = try knownClients(ids)
        return ids.compactMap { id in
            // If the provider is off, no grant works, and everything is listed.
            func isOfUse(_ epoch: Int64) -> Bool { known.map { $0.epochs[id] == epoch } ?? true }
            let own = grants.filter {
                $0.grant.map { $0.client.isSame(as: id) && isOfUse($0.clientEpoch) } ?? false
            }
            let consent = consents.first { $0.client.isSame(as: id) && isOfUse($0.clientEpoch) }
            guard consent != nil || !own.isEmpty else { return nil }
            return GrantedApplication(
                client: id, name: known?.names[id] ?? id,
                scope: Self.united([consent?.scope] + own.map(\.grant?.scope)),
                resources: Self.united([consent?.resources] + own.map(\.grant?.resources)),
                since: consent?.givenAt ?? own.map(\.createdAt).min() ?? clock.now(),
                lastUsedAt: own.map(\.lastUsedAt).max())
        }
    }

    /// Everything in the rows, even if it no longer works.
    private func granted(
        among rows: [Item], of user: User
    ) throws(AuthError) -> (clients: [String], [Session], [ConsentRecord]) {
        let grants = try clientGrants(among: rows, of: user)
        let consents = try rows.filter { StoreLayout.isConsent($0.key) }
            .map { row throws(AuthError) in try decoded(ConsentRecord(row)) }
        var ids = consents.map(\.client)
        for client in grants.compactMap({ $0.grant?.client }) where !ids.contains(client) {
            ids.append(client)
        }
        return (ids, grants, consents)
    }

    /// The names and epochs of clients, from a single read; nil if the provider is off.
    private func knownClients(
        _ ids: [String]
    ) throws(AuthError) -> (names: [String: String], epochs: [String: Int64])? {
        guard oauthIfOn != nil else { return nil }
        guard !ids.isEmpty else { return ([:], [:]) }
        var keys: Set<ItemKey> = []
        for id in ids {
            keys.formUnion([try clientKey(id), try clientEpochKey(id)].compactMap(\.self))
        }
        let items = try store.get(Array(keys))
        var (names, epochs): ([String: String], [String: Int64]) = ([:], [:])
        for id in ids {
            names[id] = try clientName(id, clientKey(id).flatMap { items[$0] })
            epochs[id] = try clientEpoch(id, items)
        }
        return (names, epochs)
    }

    private static func united(_ lists: [[String]?]) -> [String] {
        var words: [String] = []
        for word in lists.flatMap({ $0 ?? [] }) where !words.contains(word) { words.append(word) }
        return words
    }

    /// Ends all grants of a client, and forgets the user's decisions.
    ///
    /// - Parameter text: the client's ID, or `GrantedApplication.id`.
    package func removeApplication(
        _ text: String, _ principal: Principal, _ caller: Caller
    ) throws(AuthError) {
        var audit = audit(.account(principal.user.id), principal.auditHead)
        try removeApplication(text, of: principal.user, &audit) { audit, client in
            audit.record(.applicationRemoved, caller, detail: client, at: clock.now())
        }
    }

    /// Ends all grants of a client, and forgets the user's decisions, for an administrator.
    package func removeApplication(
        _ text: String, of id: String, because reason: String?,
        by administrator: Administrator, _ caller: Caller
    ) throws(AuthError) {
        let user = try administeredUser(id, administrator)
        var audit = audit(.account(user.id))
        try removeApplication(text, of: user, &audit) { audit, client in
            audit.record(
                .applicationRemoved, caller, detail: client, by: administrator.name,
                because: reason, at: clock.now())
        }
    }

    private func removeApplication(
        _ text: String, of user: User, _ audit: inout AuditTrail,
        _ record: (inout AuditTrail, _ client: String) -> Void
    ) throws(AuthError) {
        let rows = try store.everyItem(of: StoreLayout.clientGrantsAndConsents(of: user.id))
        let (clients, sessions, consents) = try granted(among: rows, of: user)
        let found = clients.first {
            $0.isSame(as: text) || StoreLayout.applicationID($0).isSame(as: text)
        }
        guard let client = found else { throw .oauth(.notGranted) }
        let grants = sessions.filter { $0.grant?.client.isSame(as: client) ?? false }
        let consent = StoreLayout.consent(to: client, of: user.id)
        record(&audit, client)
        let listings = consents.filter { $0.client.isSame(as: client) }
            .map { $0.listing(of: user.id) }
        let keys = grants.map(SessionRecord.key) + listings + [consent]
        let chunk = StoreLimits.writesPerTransactionMax - writesBesideMax
        for start in stride(from: 0, to: keys.count, by: chunk) {
            let part = keys[start..<min(start + chunk, keys.count)]
            guard try commit(part.map { .delete($0, when: []) }, &audit) else {
                throw .unavailable(.contention)
            }
        }
    }
}

extension AuthOperation {
    package static let listApplications = AuthOperation(
        "listApplications", servedBy: "sessions")
    package static let listUserApplications = administration("listUserApplications")
    package static let removeApplication = AuthOperation(
        "removeApplication", servedBy: "sessions", audited: .caller)
    package static let removeUserApplication = administration("removeUserApplication")
}

package import AuthDomain
internal import AuthRecords
internal import Bytes
internal import KeyValueStore
package import Time

/// What a user has granted to one client.
package struct GrantedApplication: Equatable, Sendable {
    package let client: String
    /// The client's ID in a form for addresses: that of one that describes itself is a URL.
    package var id: String { StoreLayout.applicationID(client) }
    package let name: String
    package let scope: [String]
    package let resources: [String]
    package let since: Instant
    /// When one of its grants was last used; nil if none is alive.
    package let lastUsedAt: Instant?
}

extension AuthServices {
    /// The applications that have access to the account, or had it and would not ask again.
    package func listApplications(
        _ principal: Principal
    ) throws(AuthError) -> [GrantedApplication] {
        let user = principal.user
        let rows = try store.everyItem(of: StoreLayout.clientGrantsAndConsents(of: user.id))
        return try applications(among: rows, of: user)
    }

    /// - Parameter rows: the user's rows.
    func applications(
        among rows: [Item], of user: User
    ) throws(AuthError) -> [GrantedApplication] {
        let grants = try clientGrants(among: rows, of: user)
        let consents = try rows.filter { StoreLayout.isConsent($0.key) }
            .map { row throws(AuthError) in try decoded(ConsentRecord(row)) }
        var ids = consents.map(\.client)
        for client in grants.compactMap({ $0.grant?.client }) where !ids.contains(client) {
            ids.append(client)
        }
        return try ids.map { id throws(AuthError) in
            let own = grants.filter { $0.grant?.client.isSame(as: id) ?? false }
            let consent = consents.first { $0.client.isSame(as: id) }
            return GrantedApplication(
                client: id, name: try oauthIfOn == nil ? id : clientName(id) ?? id,
                scope: Self.united([consent?.scope] + own.map(\.grant?.scope)),
                resources: Self.united([consent?.resources] + own.map(\.grant?.resources)),
                since: consent?.givenAt ?? own.map(\.createdAt).min() ?? clock.now(),
                lastUsedAt: own.map(\.lastUsedAt).max())
        }
    }

    private static func united(_ lists: [[String]?]) -> [String] {
        var words: [String] = []
        for word in lists.flatMap({ $0 ?? [] }) where !words.contains(word) { words.append(word) }
        return words
    }

    /// Ends all grants of a client, and forgets what the user has decided.
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

    /// The same, by an administrator.
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
        let found = try applications(among: rows, of: user)
            .first { $0.client.isSame(as: text) || $0.id.isSame(as: text) }
        guard let client = found?.client else { throw .oauth(.notGranted) }
        let grants = try clientGrants(among: rows, of: user).filter {
            $0.grant?.client.isSame(as: client) ?? false
        }
        let consent = StoreLayout.consent(to: client, of: user.id)
        record(&audit, client)
        let keys = grants.map(SessionRecord.key) + [consent]
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
    package static let removeApplication = AuthOperation(
        "removeApplication", servedBy: "sessions", audited: .caller)
    package static let removeUserApplication = administration("removeUserApplication")
}

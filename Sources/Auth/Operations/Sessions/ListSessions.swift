package import AuthDomain
internal import AuthRecords
internal import KeyValueStore
internal import Time

/// The user's sessions (ASVS 5.0, 7.5.2), most recently used first.
package struct ListSessions: Sendable {
    package static let listedMax = 100

    private let auth: AuthServices

    fileprivate init(_ auth: AuthServices) { self.auth = auth }

    package func callAsFunction(_ principal: Principal) throws(AuthError) -> Sessions {
        let sessions = try auth.sessions(of: principal.user)
        return Sessions(
            current: principal.session.id, all: Array(sessions.prefix(Self.listedMax)))
    }
}

package struct Sessions: Equatable, Sendable {
    package let current: SessionID
    package let all: [SessionFamily]
}

extension AuthServices {
    /// A query for all sessions of a user, active or not.
    func sessionsQuery(_ user: UserID) -> PartitionQuery {
        PartitionQuery(
            StoreLayout.profile(user).partition, prefix: StoreLayout.sessionPrefix,
            limit: StoreLimits.itemsPerPageMax)
    }

    /// The active sessions of a user, most recently used first.
    ///
    /// - Parameter first: the first page of `sessionsQuery`, if it was already read.
    func sessions(of user: User, first: Page? = nil) throws(AuthError) -> [SessionFamily] {
        let items = try everyItem(of: store, sessionsQuery(user.id), first: first)
        let now = clock.now()
        var families: [SessionFamily] = []
        for item in items {
            guard let id = SessionRecord.id(of: item) else { continue }
            let family = try stored { () throws(StoreFailure) in
                try SessionRecord.family(item, id: id, user: user.id)
            }
            if SessionEnd.of(family, user, at: now) == nil { families.append(family) }
        }
        return families.sorted { ($0.lastUsedAt, $0.id.text) > ($1.lastUsedAt, $1.id.text) }
    }

    package var listSessions: ListSessions { ListSessions(self) }
}

extension AuthOperation {
    package static let listSessions = AuthOperation("listSessions", servedBy: "sessions")
}

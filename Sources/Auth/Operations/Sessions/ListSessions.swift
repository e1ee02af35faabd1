package import AuthDomain
internal import AuthRecords
internal import KeyValueStore
internal import Time

/// The user's sessions (ASVS 5.0, 7.5.2), most recently used first.
package struct ListSessions: Sendable {
    package static let listedMax = 100

    let auth: AuthServices

    package func callAsFunction(_ principal: Principal) throws(AuthError) -> Sessions {
        let sessions = try auth.sessions(of: principal.user)
        return Sessions(
            current: principal.session.id, all: Array(sessions.prefix(Self.listedMax)))
    }
}

package struct Sessions: Equatable, Sendable {
    package let current: SessionID
    package let all: [Session]
}

extension AuthServices {
    /// A query for all sessions of a user, active or not, and for the user's devices.
    func sessionsQuery(_ user: UserID) -> PartitionQuery {
        PartitionQuery(
            StoreLayout.profile(user).partition, prefix: StoreLayout.sessionsAndDevicesPrefix,
            limit: StoreLimits.itemsPerPageMax)
    }

    /// The active sessions of a user, most recently used first.
    ///
    /// - Parameter first: the first page of `sessionsQuery`, if it was already read.
    func sessions(of user: User, first: Page? = nil) throws(AuthError) -> [Session] {
        try history(of: user, first: first).sessions()
    }

    package var listSessions: ListSessions { ListSessions(auth: self) }
}

extension AuthOperation {
    package static let listSessions = AuthOperation("listSessions", servedBy: "sessions")
}

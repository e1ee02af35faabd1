package import AuthDomain
internal import AuthRecords
internal import Bytes
internal import KeyValueStore
package import Time

/// Finds accounts for an administrator: all of them, newest first, page by page; those with an
/// e-mail address; or the one with an ID. Each way has an index, so none scans the table.
package struct FindUsers: Sendable {
    package static let pageMax: Int64 = 100
    package static let pageStandard: Int64 = 50
    /// The shortest text that can be searched for as a beginning.
    package static let beginningMin = SearchTerm.charactersMin

    let auth: AuthServices

    /// - Parameter after: `next` of the previous page. A page may be short without being the last.
    package func all(limit: Int64, after: String?) throws(AuthError) -> UserPage {
        var query = PartitionQuery(
            StoreLayout.directoryPartition, limit: Int(min(max(limit, 1), Self.pageMax)))
        // An invalid position starts at the first page.
        query.after = after.flatMap { StoreLayout.directoryUser($0) == nil ? nil : $0 }
        let page = try auth.store.query(query)
        let ids = page.items.compactMap { StoreLayout.directoryUser($0.key.sort) }
        return UserPage(users: try users(ids), next: page.next)
    }

    /// The users with this address, whether or not it is their login. A text that is not a valid
    /// address finds none.
    package func users(withEmail text: String) throws(AuthError) -> UserPage {
        guard let address = EmailAddress(parsing: text) else {
            return .empty
        }
        let query = PartitionQuery(
            StoreLayout.emailClaim(address).partition, prefix: StoreLayout.emailUserPrefix,
            limit: Int(Self.pageMax))
        let page = try auth.store.query(query)
        let ids = page.items.compactMap { item in
            UserID(parsing: String(item.key.sort.dropFirst(StoreLayout.emailUserPrefix.count)))
        }
        return UserPage(users: try users(ids), next: nil)
    }

    /// The accounts with an address, or a word of a name, that begins with the text. nil if there
    /// is no index, or if the text is too short for it.
    package func users(
        beginningWith text: String, limit: Int64, after: String?
    ) throws(AuthError) -> UserPage? {
        guard auth.policy.accounts.isSearchable, let term = SearchTerm(typed: text) else {
            return nil
        }
        var query = PartitionQuery(
            term.partition, prefix: term.text, limit: Int(min(max(limit, 1), Self.pageMax)))
        // An invalid position starts at the first page.
        query.after = after.flatMap { $0.hasPrefix(term.text) ? $0 : nil }
        let page = try auth.store.query(query)
        var ids: [UserID] = []
        for id in page.items.compactMap({ StoreLayout.searchedUser($0.key.sort) })
        where !ids.contains(id) {
            ids.append(id)
        }
        return UserPage(users: try users(ids), next: page.next)
    }

    /// A registration that no mailed link has confirmed yet. The keys have only a hash of the
    /// address, so it is found only by the whole address.
    package func registration(of text: String) throws(AuthError) -> OpenRegistration? {
        guard case .afterVerification? = auth.policy.passwords?.registration,
            let address = EmailAddress(parsing: text)
        else { return nil }
        return try registration(of: address)
    }

    func registration(of address: EmailAddress) throws(AuthError) -> OpenRegistration? {
        let query = PartitionQuery(
            StoreLayout.registrations(address), limit: Int(Self.pageMax))
        var found: OpenRegistration?
        for item in try auth.store.query(query).items {
            let registration = try decoded(PendingRegistration(item))
            let known = found ?? OpenRegistration(registration, until: item.expiresAt)
            found = known.merged(with: OpenRegistration(registration, until: item.expiresAt))
        }
        return found
    }

    /// How many accounts there are, as housekeeping last counted them.
    package func total() throws(AuthError) -> (count: Int64, countedAt: Instant)? {
        guard let item = try auth.store.get(StoreLayout.directoryWalk) else { return nil }
        let walk = try decoded(DirectoryWalk(item))
        guard let total = walk.total, let countedAt = walk.countedAt else { return nil }
        return (total, countedAt)
    }

    /// The accounts with a role, in the order of their ids.
    package func withRoles() throws(AuthError) -> UserPage {
        let query = PartitionQuery(
            StoreLayout.roleHoldersPartition, limit: Int(Self.pageMax))
        let page = try auth.store.query(query)
        let found = try users(page.items.compactMap { UserID(parsing: $0.key.sort) })
        return UserPage(users: found.filter { $0.adminRole != nil }, next: page.next)
    }

    /// The administrators who caused the events, without deleted accounts. Each is read once.
    package func makers(of events: CheckedEvents) throws(AuthError) -> [User] {
        let makers = events.events.compactMap { $0.entry.maker.flatMap(UserID.init(parsing:)) }
        return try users(Array(Set(makers)))
    }

    package func users(withID id: String) throws(AuthError) -> UserPage {
        guard let found = try auth.userID(shownAs: id) else {
            return .empty
        }
        return UserPage(users: try users([found]), next: nil)
    }

    /// The users in the order of the IDs, without deleted accounts.
    private func users(_ ids: [UserID]) throws(AuthError) -> [User] {
        guard !ids.isEmpty else { return [] }
        let items = try auth.store.get(ids.map(StoreLayout.profile))
        var users: [User] = []
        for id in ids {
            guard let user = try items.user(id), user.deletedAt == nil else { continue }
            users.append(user)
        }
        return users
    }
}

package struct UserPage: Equatable, Sendable {
    package let users: [User]
    /// Set if there may be more.
    package let next: String?

    package static let empty = UserPage(users: [], next: nil)
}

/// The known facts about the registrations of an address without an account.
package struct OpenRegistration: Equatable, Sendable {
    package let email: EmailAddress
    /// When the latest registration was made.
    package let createdAt: Instant
    /// When the last link of these registrations expires.
    package let endsAt: Instant?

    fileprivate init(_ registration: PendingRegistration, until end: Instant?) {
        self.init(email: registration.email, createdAt: registration.createdAt, endsAt: end)
    }

    private init(email: EmailAddress, createdAt: Instant, endsAt: Instant?) {
        self.email = email
        self.createdAt = createdAt
        self.endsAt = endsAt
    }

    fileprivate func merged(with other: Self) -> Self {
        Self(
            email: email, createdAt: max(createdAt, other.createdAt),
            endsAt: [endsAt, other.endsAt].compactMap(\.self).max())
    }
}

extension AuthServices {
    package var findUsers: FindUsers { FindUsers(auth: self) }

    /// The account with the ID that clients see: an integer, in contracts that have integer IDs.
    package func userID(shownAs text: String) throws(AuthError) -> UserID? {
        guard policy.accounts.hasPublicID else { return UserID(parsing: text) }
        guard let id = Int64(text), String(id).isSame(as: text) else { return nil }
        let item = try store.get(StoreLayout.publicID(id))
        guard case .text(let user)? = item?.attributes["user"] else { return nil }
        return UserID(parsing: user)
    }

    /// The account with that ID.
    func user(shownAs id: String) throws(AuthError) -> User {
        guard let id = try userID(shownAs: id),
            let user = try store.get([StoreLayout.profile(id)]).user(id), user.deletedAt == nil
        else { throw .administration(.userNotFound) }
        return user
    }
}

extension AuthOperation {
    package static let listUsers = AuthOperation("listUsers", servedBy: "users")
}

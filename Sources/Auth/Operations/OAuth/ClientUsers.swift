package import AuthDomain
internal import AuthRecords
internal import KeyValueStore
package import Time

/// A user who has given a client access, for administrators.
package struct ClientUser: Sendable {
    package let user: User
    package let scope: [String]
    package let resources: [String]
    package let since: Instant
}

package struct ClientUserPage: Sendable {
    package let client: String
    package let name: String
    package let users: [ClientUser]
    /// The position of the next page. Set if there may be more.
    package let next: String?
}

/// Lists the users who have decided about a client, the latest decision first. A page may be short
/// although another follows.
package struct ListClientUsers: Sendable {
    package static let pageMax: Int64 = 100
    package static let pageStandard: Int64 = 50

    let auth: AuthServices

    /// Each user has two rows: a consent and a profile.
    private static let usersPerRead = StoreLimits.keysPerReadMax / 2

    /// - Parameters:
    ///   - text: the client's ID, or `GrantedApplication.id`.
    ///   - after: `next` of the previous page. An invalid position starts at the first page.
    package func callAsFunction(
        of text: String, limit: Int64, after: String?
    ) throws(AuthError) -> ClientUserPage {
        let id = try auth.clientID(of: text)
        var query = PartitionQuery(
            StoreLayout.clientUsers(StoreLayout.applicationID(id)),
            limit: Int(min(max(limit, 1), Self.pageMax)))
        query.after = after.flatMap { StoreLayout.directoryUser($0) == nil ? nil : $0 }
        guard let epochKey = try auth.clientEpochKey(id) else { throw .oauth(.clientNotFound) }
        let key = try auth.clientKey(id)
        let read = try auth.store.read(
            Array(Set([epochKey, key].compactMap(\.self))), listing: query)
        let row = key.flatMap { read.items[$0] }
        if try auth.epochKeyElsewhere(id) == nil, try auth.storedClient(id, row) == nil {
            // A self-described program without users has no row by which its ID could be known.
            guard StoreLayout.isApplicationID(id), try auth.oauth.documents != nil else {
                throw .oauth(.clientNotFound)
            }
        }
        let epoch = try auth.clientEpoch(id, read.items)
        let rows = read.page?.items ?? []
        var users: [ClientUser] = []
        for start in stride(from: 0, to: rows.count, by: Self.usersPerRead) {
            let part = rows[start..<min(start + Self.usersPerRead, rows.count)]
            users += try self.users(listedIn: part.map(\.key), of: id, epoch)
        }
        return ClientUserPage(
            client: id, name: try auth.clientName(id, row) ?? id, users: users,
            next: read.page?.next)
    }

    /// Leaves out users whose consent has ended, or belongs to another row of the list.
    private func users(
        listedIn rows: [ItemKey], of client: String, _ epoch: Int64
    ) throws(AuthError) -> [ClientUser] {
        let ids = rows.map { StoreLayout.directoryUser($0.sort) }
        let known = Set(ids.compactMap(\.self))
        let items = try auth.store.get(
            known.map { StoreLayout.consent(to: client, of: $0) } + known.map(StoreLayout.profile))
        var users: [ClientUser] = []
        for (row, id) in zip(rows, ids) {
            guard let id, let item = items[StoreLayout.consent(to: client, of: id)] else {
                continue
            }
            let consent = try decoded(ConsentRecord(item))
            guard consent.clientEpoch == epoch, consent.listing(of: id) == row,
                let user = try items.user(id), user.deletedAt == nil
            else { continue }
            users.append(
                ClientUser(
                    user: user, scope: consent.scope, resources: consent.resources,
                    since: consent.givenAt))
        }
        return users
    }
}

extension AuthServices {
    package var listClientUsers: ListClientUsers { ListClientUsers(auth: self) }
}

extension AuthOperation {
    package static let listClientUsers = administration("listClientUsers")
}

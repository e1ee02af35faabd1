package import AuthDomain
internal import AuthRecords
internal import Bytes
internal import KeyValueStore
internal import Time

/// Finds accounts for an administrator: all of them, newest first, page by page; those with an
/// e-mail address; or the one with an ID. Each way has an index, so none scans the table.
package struct FindUsers: Sendable {
    package static let pageMax: Int64 = 100
    package static let pageStandard: Int64 = 50

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
            return UserPage(users: [], next: nil)
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

    package func users(withID id: String) throws(AuthError) -> UserPage {
        guard let found = try auth.userID(shownAs: id) else {
            return UserPage(users: [], next: nil)
        }
        return UserPage(users: try users([found]), next: nil)
    }

    /// In the order of the IDs, without deleted accounts.
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
}

extension AuthOperation {
    package static let listUsers = AuthOperation("listUsers", servedBy: "users")
}

internal import AuthDomain
internal import AuthRecords
package import KeyValueStore

/// The items of one read, by key.
package struct ReadItems: Sendable {
    private let keys: [ItemKey]
    private let items: [Item?]

    package init(_ keys: [ItemKey], _ items: [Item?]) {
        precondition(keys.count == items.count, "an answer for each key")
        self.keys = keys
        self.items = items
    }

    /// nil if there is no such item.
    ///
    /// Asking for a key that was not read is a bug in the operation: it stops the process, because
    /// "absent" can mean "free" or "not revoked". `contains` says whether a key was read.
    package subscript(key: ItemKey) -> Item? {
        guard let index = keys.firstIndex(of: key) else {
            preconditionFailure("an operation asks for an item that it has not read")
        }
        return items[index]
    }

    package func contains(_ key: ItemKey) -> Bool { keys.contains(key) }

    /// nil if there is no row; a deleted account still has one.
    func user(_ id: UserID) throws(AuthError) -> User? {
        guard let item = self[StoreLayout.profile(id)] else { return nil }
        return try decoded(UserRecord.user(item, id: id))
    }
}

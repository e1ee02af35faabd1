package import KeyValueStore

/// A store whose items can be listed, for an operator's tools. Functions never do this.
package protocol ScannableStore: KeyValueStore {
    /// The items after a key, in an order that depends on the backend: SQLite and PostgreSQL use
    /// the bytes of the keys. Several pages are not a snapshot.
    ///
    /// A page may have fewer items than `limit`, even none, and still have a `next`.
    func scan(after key: ItemKey?, limit: Int) throws(StoreFailure) -> (
        items: [Item], next: ItemKey?
    )
}

/// A store that can list its items as they were at one moment, while others write.
package protocol SnapshotStore: ScannableStore {
    /// - Parameter take: gets a page of items; false ends the snapshot.
    func snapshot(itemsPerPage: Int, _ take: ([Item]) -> Bool) throws(StoreFailure)
}

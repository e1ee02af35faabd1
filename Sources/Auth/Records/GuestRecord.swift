package import AuthDomain
package import KeyValueStore
package import Time

/// The time at which housekeeping checks whether a guest account is still used, as an item. It is
/// written with the account, and deleted with it, or by the first check after the account has
/// become an ordinary one.
package struct GuestRecord: DueRecord, Equatable, Sendable {
    package let user: UserID
    /// The time is not before the end of the session, unless the session was refreshed.
    package let due: Instant

    package init(user: UserID, due: Instant) {
        self.user = user
        self.due = due
    }

    package var key: ItemKey { StoreLayout.guest(user, due: due.iso8601Milliseconds) }

    /// The item does not expire, because the account must not be forgotten.
    package var item: Item {
        var attributes: Attributes = ["user": .text(user.text)]
        attributes.set("due", due)
        return Item(key, attributes)
    }

    package init(_ item: Item) throws(StoreFailure) {
        let read = AttributeReader(item)
        guard let user = UserID(parsing: try read.text("user")) else {
            throw read.unreadable("user")
        }
        self.init(user: user, due: try read.instant("due"))
    }

    /// Rows in the order in which they are due, including those not yet due.
    package static func query(limit: Int = 25) -> PartitionQuery {
        PartitionQuery(StoreLayout.guestPartition, limit: limit)
    }

    /// The same guest, due at another time. The writes fail if another run changed the row first.
    package func moved(to due: Instant) -> [Write] {
        let next = GuestRecord(user: user, due: due)
        return [.delete(key, when: [.present]), .put(next.item, when: [.absent])]
    }
}

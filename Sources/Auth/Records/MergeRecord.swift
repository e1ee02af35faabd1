package import AuthDomain
package import KeyValueStore
package import Time

/// A merged account with data to move, as an item. It is written in the transaction of the merge,
/// and becomes a `DeletionRecord` when everything is moved, so that a crash loses nothing.
///
/// The sort key begins with the time at which the next run is due, as in a `DeletionRecord`.
package struct MergeRecord: DueRecord, Equatable, Sendable {
    /// The account that has ended.
    package let user: UserID
    /// The account that remains.
    package var other: UserID
    package let mergedAt: Instant
    package var due: Instant
    /// Failed runs in a row, including the current one, if any.
    package var attempts: Int64
    /// Whether this is the second run, after the last credentials of the account have expired.
    package var isLast: Bool
    /// Whether the application has moved its part in this run.
    package var isApplicationDone = false
    /// Whether the objects are copied this time. If not all are copied yet, the key of the last
    /// copied object.
    package var areObjectsDone = false
    package var position: String?
    /// The digest of the account's former address, for the `DeletionRecord`.
    package let addressDigest: [UInt8]?

    package init(
        user: UserID, into other: UserID, mergedAt: Instant, due: Instant, attempts: Int64,
        isLast: Bool = false, addressDigest: [UInt8]?
    ) {
        self.user = user
        self.other = other
        self.mergedAt = mergedAt
        self.due = due
        self.attempts = attempts
        self.isLast = isLast
        self.addressDigest = addressDigest
    }

    package var key: ItemKey { StoreLayout.merge(of: user, due: due.iso8601Milliseconds) }

    /// The item does not expire, because the data to move must not be lost.
    package var item: Item {
        var attributes: Attributes = [
            "user": .text(user.text), "other": .text(other.text), "attempts": .integer(attempts),
            "isLast": .flag(isLast), "isApplicationDone": .flag(isApplicationDone),
            "areObjectsDone": .flag(areObjectsDone),
        ]
        attributes.set("mergedAt", mergedAt)
        attributes.set("due", due)
        attributes.set("position", position)
        if let addressDigest { attributes["addressDigest"] = .bytes(addressDigest) }
        return Item(key, attributes)
    }

    package init(_ item: Item) throws(StoreFailure) {
        let read = AttributeReader(item)
        guard let user = UserID(parsing: try read.text("user")) else {
            throw read.unreadable("user")
        }
        guard let other = UserID(parsing: try read.text("other")) else {
            throw read.unreadable("other")
        }
        self.init(
            user: user, into: other, mergedAt: try read.instant("mergedAt"),
            due: try read.instant("due"), attempts: try read.integer("attempts"),
            isLast: try read.flag("isLast"),
            addressDigest: try read.optionalBytes("addressDigest"))
        isApplicationDone = try read.flag("isApplicationDone")
        areObjectsDone = try read.flag("areObjectsDone")
        position = try read.optionalText("position")
    }

    /// The same job from its beginning.
    package func restarted(into other: UserID, isLast: Bool, due: Instant) -> MergeRecord {
        MergeRecord(
            user: user, into: other, mergedAt: mergedAt, due: due, attempts: 0, isLast: isLast,
            addressDigest: addressDigest)
    }

    /// Rows in the order in which they are due, including those not yet due.
    package static func query(limit: Int = 25) -> PartitionQuery {
        PartitionQuery(StoreLayout.mergePartition, limit: limit)
    }

    /// Deletes the row if no other run has claimed it since it was read.
    package var removal: Write {
        .delete(key, when: [.equals("attempts", .integer(attempts))])
    }

    /// Replaces the row if no other run has claimed it since it was read.
    package func replaced(by next: MergeRecord) -> [Write] {
        // A claim within the same millisecond has the same key.
        guard next.key != key else {
            return [.put(next.item, when: [.equals("attempts", .integer(attempts))])]
        }
        return [removal, .put(next.item, when: [.absent])]
    }
}

package import AuthDomain
package import KeyValueStore
package import Time

/// An erasure job as an item: for a deleted account with data to erase, or for an identity that was
/// removed from its account and has tokens to revoke. It is written in the transaction of the
/// deletion or removal, and deleted when everything is done, so that a crash leaves nothing behind.
///
/// Changing the time at which the next run is due means replacing the row by another.
package struct DeletionRecord: DueRecord, Equatable, Sendable {
    package let user: UserID
    /// Set if only this identity was removed from the account.
    package let identity: IdentityDigest?
    /// When the account was deleted, or the identity removed.
    package let deletedAt: Instant
    package let due: Instant
    /// Failed runs in a row, including the current one, if any.
    package let attempts: Int64
    /// The digest of the account's former address, by which registrations are found.
    package let addressDigest: [UInt8]?
    /// Whether the application has erased its part after the last access token had expired.
    package var isApplicationDone = false

    package init(
        user: UserID, identity: IdentityDigest? = nil, deletedAt: Instant, due: Instant,
        attempts: Int64, addressDigest: [UInt8]? = nil
    ) {
        self.user = user
        self.identity = identity
        self.deletedAt = deletedAt
        self.due = due
        self.attempts = attempts
        self.addressDigest = addressDigest
    }

    package var key: ItemKey {
        StoreLayout.deletion(of: user, identity, due: due.iso8601Milliseconds)
    }

    /// The item does not expire, because the job must not be lost.
    package var item: Item {
        var attributes: Attributes = [
            "user": .text(user.text), "attempts": .integer(attempts),
        ]
        attributes.set("deletedAt", deletedAt)
        attributes.set("due", due)
        if let identity { attributes["identity"] = .text(identity.text) }
        if let addressDigest { attributes["addressDigest"] = .bytes(addressDigest) }
        if isApplicationDone { attributes["isApplicationDone"] = .flag(true) }
        return Item(key, attributes)
    }

    package init(_ item: Item) throws(StoreFailure) {
        let read = AttributeReader(item)
        guard let user = UserID(parsing: try read.text("user")) else {
            throw read.unreadable("user")
        }
        self.init(
            user: user,
            identity: try read.optionalText("identity").map(IdentityDigest.init(text:)),
            deletedAt: try read.instant("deletedAt"), due: try read.instant("due"),
            attempts: try read.integer("attempts"),
            addressDigest: item.attributes["addressDigest"] == nil
                ? nil : try read.bytes("addressDigest"))
        isApplicationDone = try read.optionalFlag("isApplicationDone") ?? false
    }

    /// Rows in the order in which they are due, including those not yet due.
    package static func query(limit: Int = 25) -> PartitionQuery {
        PartitionQuery(StoreLayout.deletionPartition, limit: limit)
    }

    /// Deletes the row if it is unchanged since it was read.
    package var removal: Write {
        .delete(key, when: [.equals("attempts", .integer(attempts))])
    }

    /// The same job, due at another time. The writes fail if the row was changed since it was read.
    package func moved(
        to due: Instant, attempts: Int64
    ) -> (record: DeletionRecord, writes: [Write]) {
        var next = DeletionRecord(
            user: user, identity: identity, deletedAt: deletedAt, due: due, attempts: attempts,
            addressDigest: addressDigest)
        next.isApplicationDone = isApplicationDone
        // A claim within the same millisecond has the same key.
        guard next.key != key else {
            return (
                next, [.put(next.item, when: [.equals("attempts", .integer(self.attempts))])]
            )
        }
        return (next, [removal, .put(next.item, when: [.absent])])
    }
}

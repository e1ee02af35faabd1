package import AuthDomain
internal import Bytes
internal import Cryptography
package import KeyValueStore
package import Time

/// An entry of an index by master key. It means that a row of an account contains a secret
/// encrypted with that key, so that rows still encrypted with an old key are found without a scan.
///
/// It is written in the same transaction as the row. The entry may remain after the row was deleted
/// or re-encrypted with another key, so housekeeping reads the row itself.
package struct SealedRowEntry: Equatable, Sendable {
    /// One partition of DynamoDB takes 1,000 write units a second.
    package static let shards = 8

    /// The ID of the master key, in hexadecimal.
    package let keyID: String
    /// The key of the row, which is in the partition of an account.
    package let row: ItemKey

    package init(keyID: [UInt8], row: ItemKey) {
        self.keyID = Hex.encode(keyID)
        self.row = row
    }

    /// nil if the key does not belong to an entry.
    package init?(_ key: ItemKey) {
        let parts = key.sort.split(
            separator: "#", maxSplits: 2, omittingEmptySubsequences: false
        ).map(String.init)
        guard parts.count == 3, let user = UserID(parsing: parts[1]), !parts[2].isEmpty else {
            return nil
        }
        keyID = parts[0]
        row = ItemKey(StoreLayout.profile(user).partition, parts[2])
    }

    package var key: ItemKey {
        let user = String(row.partition.dropFirst(StoreLayout.userPrefix.count))
        return ItemKey(Self.partition(of: row.partition), "\(keyID)#\(user)#\(row.sort)")
    }

    package var item: Item { Item(key, [:]) }

    package func isUnder(_ keyID: [UInt8]) -> Bool { Hex.encode(keyID).isSame(as: self.keyID) }

    /// The entries of one shard of the index, ordered by master key.
    package static func query(
        shard: Int, limit: Int, after: String? = nil
    ) -> PartitionQuery {
        PartitionQuery(StoreLayout.sealedRows(shard: shard), limit: limit, after: after)
    }

    /// The entries of one account under one master key.
    package static func query(of user: UserID, keyID: [UInt8], limit: Int) -> PartitionQuery {
        PartitionQuery(
            partition(of: StoreLayout.profile(user).partition),
            prefix: "\(Hex.encode(keyID))#\(user.text)#", limit: limit)
    }

    /// A sort key after all entries under a master key, and before those under the next.
    package static func end(of keyID: [UInt8]) -> String { "\(Hex.encode(keyID))#~" }

    private static func partition(of account: String) -> String {
        StoreLayout.sealedRows(shard: Int(SHA256.hash(Array(account.utf8))[0]) % shards)
    }
}

/// The current master key, and when housekeeping first saw it.
package struct MasterKeyRecord: Equatable, Sendable {
    package let keyID: [UInt8]
    package let since: Instant

    package init(keyID: [UInt8], since: Instant) {
        self.keyID = keyID
        self.since = since
    }

    package init(_ item: Item) throws(StoreFailure) {
        let read = AttributeReader(item)
        self.init(keyID: try read.bytes("keyID"), since: try read.instant("since"))
    }

    package var item: Item {
        var attributes: Attributes = ["keyID": .bytes(keyID)]
        attributes.set("since", since)
        return Item(StoreLayout.masterKey, attributes)
    }
}

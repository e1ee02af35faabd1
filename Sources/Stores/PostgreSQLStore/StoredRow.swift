internal import Cryptography
internal import KeyValueStore
internal import PostgreSQL
internal import Time

/// An item as a row of the table:
///
///     partition bytea, sort bytea, expires bigint, count bigint, attributes bytea[]
///
/// `attributes` has the encodings of `ItemCodec`, one for each attribute, so that a statement can
/// compare them. The integer that counters add to has a column of its own.
enum StoredRow {
    /// The value in the row `version` below. Increase it for a change of the table or of
    /// `ItemCodec` that older code cannot read or write.
    static let schemaVersion: Int64 = 1
    /// The row that has the schema's version as its count.
    static let version = StoredKey(partition: [0xFF], sort: Array("version".utf8))

    /// The expiry of a placeholder: a row that stands for an absent item while a transaction locks
    /// it.
    static let placeholder: Int64 = .min

    static func count(of item: Item) -> Int64? {
        if case .integer(let count) = item.attributes[Item.counterName] { count } else { nil }
    }

    static func attributes(of item: Item) -> [[UInt8]] {
        item.attributes.compactMap { name, value in
            isCount(name, value) ? nil : ItemCodec.encode(name, value)
        }
    }

    static func isCount(_ name: String, _ value: Attribute) -> Bool {
        guard case .integer = value else { return false }
        return name.utf8.elementsEqual(Item.counterName.utf8)
    }

    /// Reads `expires, count, attributes` from the column `first` on; nil if they cannot have been
    /// written by this code.
    static func item(
        _ key: ItemKey, _ rows: PostgreSQLRows, _ row: Int, from first: Int32
    ) throws(PostgreSQLError) -> Item? {
        let bytes = try rows.joinedByteArrays(row, first + 2, after: ItemCodec.start)
        guard var attributes = ItemCodec.decode(bytes) else { return nil }
        if let count = try rows.integerOrNull(row, first + 1) {
            attributes[Item.counterName] = .integer(count)
        }
        let expires = try rows.integerOrNull(row, first)
        return Item(key, attributes, expiresAt: expires.map(Instant.init(milliseconds:)))
    }
}

/// The primary key of a row. Rows are locked in its order.
struct StoredKey: Comparable {
    /// An entry of an index has at most 2,704 bytes: a longer partition is stored as its hash.
    private static let partitionBytesMax = 1024
    /// UTF-8 text never begins with this byte.
    private static let hashMark: UInt8 = 0xFF

    let partition: [UInt8]
    let sort: [UInt8]

    init(partition: [UInt8], sort: [UInt8]) {
        self.partition = partition
        self.sort = sort
    }

    init(_ key: ItemKey) {
        self.init(partition: Self.partition(key.partition), sort: Array(key.sort.utf8))
    }

    static func partition(_ text: String) -> [UInt8] {
        let bytes = Array(text.utf8)
        return bytes.count <= partitionBytesMax ? bytes : [hashMark] + SHA256.hash(bytes)
    }

    static func < (left: StoredKey, right: StoredKey) -> Bool {
        if left.partition == right.partition {
            return left.sort.lexicographicallyPrecedes(right.sort)
        }
        return left.partition.lexicographicallyPrecedes(right.partition)
    }

    var values: [PostgreSQLValue] { [.bytes(partition), .bytes(sort)] }
}

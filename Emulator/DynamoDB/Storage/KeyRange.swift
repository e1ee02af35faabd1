/// Keys from `lower` (inclusive) to `upper` (exclusive).
struct KeyRange {
    var lower: [UInt8]
    var upper: [UInt8]

    init(lower: [UInt8], upper: [UInt8]) {
        self.lower = lower
        self.upper = upper
    }

    /// All keys with this prefix.
    init(prefix: [UInt8]) {
        self.init(lower: prefix, upper: Self.end(ofPrefix: prefix))
    }

    static func end(ofPrefix prefix: [UInt8]) -> [UInt8] {
        // A key begins with the number of its keyspace, which is never all ones.
        KeyEncoding.successor(ofPrefix: prefix) ?? prefix
    }

    /// Continues after `key` was read.
    mutating func resume(after key: [UInt8], isAscending: Bool) {
        if isAscending {
            let next = key + [0]
            if lower.lexicographicallyPrecedes(next) { lower = next }
        } else if key.lexicographicallyPrecedes(upper) {
            upper = key
        }
    }
}

/// A part of the store: the rows of a table, of an index, or of the catalogue.
struct Keyspace: Hashable, Sendable {
    let number: UInt32

    static let catalogue = Keyspace(number: 0)
    static let lastNumber = Keyspace(number: 1)
    static let tokens = Keyspace(number: 2)
    static let tokenTimes = Keyspace(number: 3)
    /// The first number for tables and indexes; numbers are never reused.
    static let firstFree: UInt32 = 16

    var prefix: [UInt8] {
        [
            UInt8(number >> 24), UInt8(number >> 16 & 0xFF), UInt8(number >> 8 & 0xFF),
            UInt8(number & 0xFF),
        ]
    }

    var all: KeyRange { KeyRange(prefix: prefix) }

    func key(_ rest: [UInt8]) -> [UInt8] { prefix + rest }

    /// The part of the hash range that belongs to one of `total` equal segments.
    func segment(_ segment: Int, of total: Int) -> KeyRange {
        func bound(_ index: Int) -> [UInt8] {
            if index == total { return all.upper }
            let hash = UInt32((UInt64(index) << 32) / UInt64(total))
            return prefix + PartitionHash.bytes(hash)
        }
        return KeyRange(lower: bound(segment), upper: bound(segment + 1))
    }
}

/// Distributes partitions evenly, so that a scan can be split into segments, and so that
/// applications do not rely on an order of partitions: DynamoDB guarantees none.
enum PartitionHash {
    static func of(_ key: [UInt8]) -> [UInt8] {
        // FNV-1a, then the finaliser of MurmurHash3, because FNV's low bits are not well
        // distributed.
        var hash: UInt32 = 0x811C_9DC5
        for byte in key { hash = (hash ^ UInt32(byte)) &* 0x0100_0193 }
        hash = (hash ^ hash >> 16) &* 0x85EB_CA6B
        hash = (hash ^ hash >> 13) &* 0xC2B2_AE35
        return bytes(hash ^ hash >> 16)
    }

    static func bytes(_ hash: UInt32) -> [UInt8] { Keyspace(number: hash).prefix }
}

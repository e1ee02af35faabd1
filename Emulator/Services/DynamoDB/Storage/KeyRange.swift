/// Keys from `lower` on and before `upper`.
struct KeyRange {
    var lower: [UInt8]
    var upper: [UInt8]

    init(lower: [UInt8], upper: [UInt8]) {
        self.lower = lower
        self.upper = upper
    }

    /// Every key that begins with these bytes.
    init(prefix: [UInt8]) {
        self.init(lower: prefix, upper: Self.end(ofPrefix: prefix))
    }

    static func end(ofPrefix prefix: [UInt8]) -> [UInt8] {
        // A key begins with the number of its space, which is never all ones.
        KeyEncoding.successor(ofPrefix: prefix) ?? prefix
    }

    /// What is left after `key` has been read.
    mutating func resume(after key: [UInt8], isAscending: Bool) {
        if isAscending {
            let next = key + [0]
            if lower.lexicographicallyPrecedes(next) { lower = next }
        } else if key.lexicographicallyPrecedes(upper) {
            upper = key
        }
    }
}

/// A part of the store: the rows of a table, of an index, of the catalogue.
struct Keyspace: Hashable, Sendable {
    let number: UInt32

    static let catalogue = Keyspace(number: 0)
    static let lastNumber = Keyspace(number: 1)
    static let tokens = Keyspace(number: 2)
    static let tokenTimes = Keyspace(number: 3)
    /// Tables and their indexes have the numbers from here on; none is used twice.
    static let firstFree: UInt32 = 16

    var prefix: [UInt8] {
        [
            UInt8(number >> 24), UInt8(number >> 16 & 0xFF), UInt8(number >> 8 & 0xFF),
            UInt8(number & 0xFF),
        ]
    }

    var all: KeyRange { KeyRange(prefix: prefix) }

    func key(_ rest: [UInt8]) -> [UInt8] { prefix + rest }

    /// The part whose hashes fall into one of `total` equal segments.
    func segment(_ segment: Int, of total: Int) -> KeyRange {
        func bound(_ index: Int) -> [UInt8] {
            if index == total { return all.upper }
            let hash = UInt32((UInt64(index) << 32) / UInt64(total))
            return prefix + PartitionHash.bytes(hash)
        }
        return KeyRange(lower: bound(segment), upper: bound(segment + 1))
    }
}

/// Spreads partitions evenly, so that a scan can be cut into segments, and so that
/// applications do not depend on an order of partitions that DynamoDB does not guarantee.
enum PartitionHash {
    static func of(_ key: [UInt8]) -> [UInt8] {
        // FNV-1a, then the finaliser of MurmurHash3, which spreads what FNV leaves in its low bits.
        var hash: UInt32 = 0x811C_9DC5
        for byte in key { hash = (hash ^ UInt32(byte)) &* 0x0100_0193 }
        hash = (hash ^ hash >> 16) &* 0x85EB_CA6B
        hash = (hash ^ hash >> 13) &* 0xC2B2_AE35
        return bytes(hash ^ hash >> 16)
    }

    static func bytes(_ hash: UInt32) -> [UInt8] { Keyspace(number: hash).prefix }
}

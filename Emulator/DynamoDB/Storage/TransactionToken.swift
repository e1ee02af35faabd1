internal import Cryptography
internal import JSON
internal import Time

/// A `ClientRequestToken`: for ten minutes a repeated request with the same token has no effect. It
/// is committed together with the writes, so it also survives a restart.
struct TransactionToken {
    private static let lifetime = Span.minutes(10)
    /// The number of expired tokens that each new one removes: more than one, and few enough to be
    /// cheap.
    private static let sweptMax = 4

    private let text: [UInt8]
    private let fingerprint: [UInt8]
    private let now: Instant

    init(text: String, items: [JSON], at now: Instant) {
        self.text = Array(text.utf8)
        fingerprint = SHA256.hash(JSON.array(items).withSortedMembers.serialized)
        self.now = now
    }

    /// Whether this request was already processed; a different one with the same token is refused.
    func wasUsed(in tables: Tables) throws(DynamoDBError) -> Bool {
        guard let value = try tables.store.value(Keyspace.tokens.key(text)),
            let time = Self.time(value.prefix(8)), now - time < Self.lifetime
        else { return false }
        guard value.dropFirst(8).elementsEqual(fingerprint) else {
            throw .idempotentParameterMismatch
        }
        return true
    }

    func save(in tables: Tables) throws(DynamoDBError) {
        let time = Self.bytes(now)
        try sweep(tables)
        try tables.store.put(Keyspace.tokens.key(text), time + fingerprint)
        try tables.store.put(Keyspace.tokenTimes.key(time + text), [])
    }

    private func sweep(_ tables: Tables) throws(DynamoDBError) {
        var expired: [[UInt8]] = []
        var range = Keyspace.tokenTimes.all
        range.upper = Keyspace.tokenTimes.key(Self.bytes(now - Self.lifetime))
        try tables.store.read(range) { key, _ in
            expired.append(key)
            return expired.count < Self.sweptMax
        }
        for row in expired {
            try tables.store.delete(row)
            let entry = row.dropFirst(Keyspace.tokenTimes.prefix.count)
            let key = Keyspace.tokens.key(Array(entry.dropFirst(8)))
            // The token may have been reused in the meantime.
            if try tables.store.value(key)?.starts(with: entry.prefix(8)) == true {
                try tables.store.delete(key)
            }
        }
    }

    private static func bytes(_ instant: Instant) -> [UInt8] {
        TimeToLive.bytes(max(0, instant.milliseconds))
    }

    private static func time(_ bytes: ArraySlice<UInt8>) -> Instant? {
        guard bytes.count == 8 else { return nil }
        return Instant(milliseconds: bytes.reduce(0) { $0 << 8 | Int64($1) })
    }
}

extension JSON {
    /// A canonical form, independent of the order of members in the request.
    fileprivate var withSortedMembers: JSON {
        switch self {
        case .array(let elements): .array(elements.map(\.withSortedMembers))
        case .object(let object):
            .object(
                JSONObject(
                    object.members.sorted { $0.name.precedes($1.name) }
                        .map { ($0.name, $0.value.withSortedMembers) }))
        case .null, .bool, .number, .string: self
        }
    }
}

internal import Time

/// One page of a bucket's keys and common prefixes.
struct ObjectListing {
    enum Entry {
        case object(ListedObject)
        case prefix([UInt8])

        var name: [UInt8] {
            switch self {
            case .object(let object): object.key
            case .prefix(let prefix): prefix
            }
        }
    }

    private(set) var entries: [Entry] = []
    private(set) var isTruncated = false

    /// This is greater than every key, because UTF-8 does not contain the byte.
    private static let end: [UInt8] = [0xFF]
    private static let batchRowsMax = 1001

    /// The keys with `prefix` after `marker`.
    init(
        _ bucket: String, prefix: [UInt8], delimiter: [UInt8], after marker: [UInt8]?,
        entriesMax: Int, in database: ObjectDatabase
    ) throws(ObjectStoreFailure) {
        guard entriesMax > 0 else { return }
        let upper = prefix.isEmpty ? Self.end : Self.successor(of: prefix)
        var lower = prefix
        if let marker {
            let next = Self.start(after: marker, prefix: prefix, delimiter: delimiter)
            if lower.lexicographicallyPrecedes(next) { lower = next }
        }
        while lower.lexicographicallyPrecedes(upper) {
            let rowsMax = min(Self.batchRowsMax, entriesMax - entries.count + 1)
            let rows = try database.list(bucket, from: lower, to: upper, rowsMax: rowsMax)
            var skipped: [UInt8]?
            for row in rows {
                guard entries.count < entriesMax else {
                    isTruncated = true
                    return
                }
                guard
                    let common = Self.common(row.key, after: prefix.count, delimiter: delimiter)
                else {
                    entries.append(.object(row))
                    continue
                }
                // There is one entry for all keys with this prefix. The list continues after the
                // last of them.
                entries.append(.prefix(common))
                skipped = Self.successor(of: common)
                break
            }
            if let skipped {
                lower = skipped
            } else if rows.count < rowsMax {
                return
            } else {
                lower = (rows.last?.key ?? upper) + [0]
            }
        }
    }

    /// If the marker is a common prefix, the list continues after the keys with that prefix.
    private static func start(
        after marker: [UInt8], prefix: [UInt8], delimiter: [UInt8]
    ) -> [UInt8] {
        if marker.starts(with: prefix),
            let common = common(marker, after: prefix.count, delimiter: delimiter),
            common == marker
        {
            return successor(of: marker)
        }
        return marker + [0]
    }

    /// The smallest name greater than all names with `prefix`.
    private static func successor(of prefix: [UInt8]) -> [UInt8] {
        var next = prefix
        // UTF-8 does not contain the byte 0xFF, so the last byte can always be incremented.
        if let last = next.popLast() { next.append(last + 1) }
        return next
    }

    private static func common(
        _ key: [UInt8], after start: Int, delimiter: [UInt8]
    ) -> [UInt8]? {
        guard let first = delimiter.first, key.count >= start + delimiter.count else { return nil }
        for index in start...(key.count - delimiter.count)
        where key[index] == first
            && key[index..<(index + delimiter.count)].elementsEqual(delimiter)
        {
            return Array(key[..<(index + delimiter.count)])
        }
        return nil
    }
}

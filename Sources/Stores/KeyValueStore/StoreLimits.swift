internal import Bytes

/// Limits that every backend enforces, even one that could hold more: code that passes its tests
/// with one backend must not fail with another. The values are DynamoDB's, which are the strictest.
package enum StoreLimits {
    package static let keysPerReadMax = 100
    /// Each addition uses a separate connection to DynamoDB.
    package static let countersPerReadMax = 8
    package static let writesPerTransactionMax = 100
    package static let transactionBytesMax = 4 << 20
    package static let conditionsPerWriteMax = 16
    package static let itemsPerPageMax = 1000
    /// This is for backends that can end a page anywhere. DynamoDB ends a page after a megabyte.
    package static let partitionsPerPageMax = 100
    /// DynamoDB's documentation says 400 KB; implementations disagree whether that is 1,000 or
    /// 1,024 bytes per KB.
    package static let itemBytesMax = 400_000
    package static let partitionBytesMax = 2048
    package static let sortBytesMax = 1024
    package static let attributesPerItemMax = 100
    package static let attributeNameBytesMax = 64

    /// The key names and both forms of the expiry, as DynamoDB counts them.
    private static let itemOverheadBytes = 100
    /// 19 digits take 11 bytes in DynamoDB; its documentation says "approximately".
    private static let integerBytes = 21
}

extension StoreLimits {
    package static func check(_ key: ItemKey) throws(StoreFailure) {
        try check(partition: key.partition)
        try check(sort: key.sort)
    }

    package static func check(
        reading keys: [ItemKey], counting counters: [CounterIncrement],
        listing query: PartitionQuery?
    ) throws(StoreFailure) {
        if let query { try check(query) }
        try check(keys.count, "keys in one read", max: keysPerReadMax)
        try check(counters.count, "counters in one read", max: countersPerReadMax)
        for key in keys { try check(key) }
        for (index, counter) in counters.enumerated() {
            try check(counter.key)
            guard !keys.contains(counter.key),
                !counters[..<index].contains(where: { $0.key == counter.key })
            else {
                throw .refused(detail: "a read counts a key that it reads or counts elsewhere")
            }
            guard query?.lists(counter.key) != true else {
                throw .refused(detail: "a read counts a key that it may list")
            }
        }
    }

    package static func check(_ query: PartitionQuery) throws(StoreFailure) {
        try check(partition: query.partition)
        try check(query.prefix.utf8.count, "bytes of a sort key prefix", max: sortBytesMax)
        try check(query.limit, "items in one page", min: 1, max: itemsPerPageMax)
        guard let after = query.after else { return }
        try check(sort: after)
        guard after.utf8.starts(with: query.prefix.utf8) else {
            throw .refused(detail: "a page continues after a sort key outside of its prefix")
        }
    }

    package static func check(writing writes: [Write]) throws(StoreFailure) {
        try check(writes.count, "writes in one transaction", max: writesPerTransactionMax)
        var bytes = 0
        for (index, write) in writes.enumerated() {
            try check(write)
            // There are few writes, so comparing them costs less than hashing their keys.
            guard !writes[..<index].contains(where: { $0.key == write.key }) else {
                throw .refused(detail: "two writes of one transaction have the same key")
            }
            switch write {
            case .put(let item, _): bytes += byteCount(of: item)
            case .delete(let key, _), .check(let key, _): bytes += byteCount(of: key)
            }
        }
        try check(bytes, "bytes in one transaction", max: transactionBytesMax)
    }

    package static func check(_ item: Item) throws(StoreFailure) {
        try check(item.key)
        try check(item.attributes.count, "attributes of an item", max: attributesPerItemMax)
        for attribute in item.attributes.encoded {
            try check(attributeName: item.attributes.encoding.span.extracting(attribute.name))
        }
        try check(byteCount(of: item), "bytes of an item", max: itemBytesMax)
    }

    private static func check(_ write: Write) throws(StoreFailure) {
        switch write {
        case .put(let item, _):
            try check(item)
        case .delete(let key, _):
            try check(key)
        case .check(let key, let conditions):
            try check(key)
            guard !conditions.isEmpty else { throw .refused(detail: "a check has no condition") }
        }
        try check(write.conditions.count, "conditions of one write", max: conditionsPerWriteMax)
        for condition in write.conditions {
            switch condition {
            case .absent, .present:
                break
            case .lacks(let name):
                try check(attributeName: name)
            case .equals(let name, let value):
                try check(attributeName: name)
                try check(byteCount(of: value), "bytes of a compared value", max: itemBytesMax)
            }
        }
    }

    private static func check(partition: String) throws(StoreFailure) {
        try check(partition.utf8.count, "bytes of a partition key", min: 1, max: partitionBytesMax)
    }

    private static func check(sort: String) throws(StoreFailure) {
        try check(sort.utf8.count, "bytes of a sort key", min: 1, max: sortBytesMax)
    }

    package static func check(attributeName name: String) throws(StoreFailure) {
        try check(attributeName: name.utf8.span)
    }

    /// The parameter is a span for speed, because every attribute that is read or written is
    /// checked.
    static func check(attributeName name: Span<UInt8>) throws(StoreFailure) {
        try check(name.count, "bytes of an attribute name", min: 1, max: attributeNameBytesMax)
        for index in name.indices where !name[index].isLetter {
            guard index > 0, name[index].isDigit else {
                throw .refused(detail: "an attribute name does not match [A-Za-z][A-Za-z0-9]*")
            }
        }
    }

    private static func check(_ count: Int, _ what: String, min: Int = 0, max: Int)
        throws(StoreFailure)
    {
        guard count >= min else { throw .refused(detail: "\(count) \(what), at least \(min)") }
        guard count <= max else { throw .refused(detail: "\(count) \(what), at most \(max)") }
    }
}

extension StoreLimits {
    /// An upper bound of the size that DynamoDB computes for the item as `DynamoDBStore` writes it.
    package static func byteCount(of item: Item) -> Int {
        item.attributes.encoded.reduce(itemOverheadBytes + byteCount(of: item.key)) {
            $0 + $1.name.count + 1 + byteCount(of: $1)
        }
    }

    private static func byteCount(of attribute: EncodedAttribute) -> Int {
        switch attribute.kind {
        case .text, .bytes: attribute.value.count
        case .integer: integerBytes
        case .no, .yes: 1
        }
    }

    private static func byteCount(of key: ItemKey) -> Int {
        key.partition.utf8.count + key.sort.utf8.count
    }

    private static func byteCount(of value: Attribute) -> Int {
        switch value {
        case .text(let text): text.utf8.count
        case .integer: integerBytes
        case .bytes(let bytes): bytes.count
        case .flag: 1
        }
    }
}

extension PartitionQuery {
    /// Whether `key` belongs to the partition and has the prefix.
    fileprivate func lists(_ key: ItemKey) -> Bool {
        key.partition.utf8.elementsEqual(partition.utf8)
            && key.sort.utf8.starts(with: prefix.utf8)
    }
}

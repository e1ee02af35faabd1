internal import Bytes

/// The key of an item within its table, as bytes in sort order: the hash of the partition key, the
/// partition key, the sort key.
struct DynamoDBItemKey: Hashable {
    let bytes: [UInt8]
}

extension KeySchema {
    /// The common prefix of the rows of one partition.
    func partition(_ hash: AttributeValue) -> [UInt8] {
        let encoded = KeyEncoding.encode(hash) ?? []
        return PartitionHash.of(encoded) + encoded
    }

    /// The bytes under which an item is stored; nil if it lacks a key attribute, or if one has the
    /// wrong type.
    func row(of item: AttributeMap) -> [UInt8]? {
        guard let hash = item[self.hash.name], hash.kind == self.hash.kind else { return nil }
        let row = partition(hash)
        guard let range else { return row }
        guard let value = item[range.name], value.kind == range.kind,
            let encoded = KeyEncoding.encode(value)
        else { return nil }
        return row + encoded
    }

    func checkSize(of value: AttributeValue, _ attribute: KeyAttribute) throws(DynamoDBError) {
        // Most keys are shorter than either limit.
        let size = ItemSize.of(value)
        guard size > ItemSize.rangeKeyBytesMax else { return }
        if !attribute.name.isSame(as: hash.name) {
            throw .invalidParameters(
                "Aggregated size of all range keys has exceeded the size limit of 1024 bytes")
        }
        guard size > ItemSize.hashKeyBytesMax else { return }
        throw .invalidParameters(
            "Size of hashkey has exceeded the maximum size limit of2048 bytes")
    }

    /// The key attributes only.
    func key(of item: AttributeMap) -> AttributeMap { item.filter(contains) }
}

extension TableDefinition {
    /// The validated key of an item to be put.
    func key(inItem item: AttributeMap) throws(DynamoDBError) -> DynamoDBItemKey {
        for attribute in schema.attributes {
            guard let value = item[attribute.name] else {
                throw .invalidParameters("Missing the key \(attribute.name) in the item")
            }
            guard value.kind == attribute.kind else {
                throw .invalidParameters(
                    "Type mismatch for key \(attribute.name) expected: "
                        + "\(attribute.kind.rawValue) actual: \(value.kind.rawValue)")
            }
        }
        return try checkedKey(item)
    }

    /// The validated key of a request: exactly the attributes of the schema.
    func key(_ key: AttributeMap) throws(DynamoDBError) -> DynamoDBItemKey {
        guard key.count == schema.attributes.count,
            schema.attributes.allSatisfy({ key[$0.name]?.kind == $0.kind })
        else { throw .validation("The provided key element does not match the schema") }
        return try checkedKey(key)
    }

    private func checkedKey(_ item: AttributeMap) throws(DynamoDBError) -> DynamoDBItemKey {
        for attribute in schema.attributes {
            guard let value = item[attribute.name] else { continue }
            try value.checkNotEmpty(asKey: attribute.name)
            try schema.checkSize(of: value, attribute)
        }
        guard let row = schema.row(of: item) else {
            throw .validation("The provided key element does not match the schema")
        }
        return DynamoDBItemKey(bytes: row)
    }
}

extension AttributeValue {
    var isEmptyScalar: Bool {
        switch self {
        case .string(let text): text.utf8.isEmpty
        case .binary(let bytes): bytes.isEmpty
        case .number, .bool, .null, .list, .map, .stringSet, .numberSet, .binarySet: false
        }
    }

    func checkNotEmpty(asKey name: String) throws(DynamoDBError) {
        guard isEmptyScalar else { return }
        throw .validation(
            "One or more parameter values are not valid. The AttributeValue for a key attribute "
                + "cannot contain an empty \(kind == .string ? "string" : "binary") value. "
                + "Key: \(name)")
    }
}

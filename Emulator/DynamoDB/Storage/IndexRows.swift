internal import Bytes
internal import Time

/// A row that refers to an item: a row of an index or of the expiry order.
struct DerivedRow {
    let key: [UInt8]
    let value: [UInt8]
}

extension IndexDefinition {
    /// The item's row in the index; nil if it lacks an attribute of the index key.
    func row(of item: AttributeMap, _ key: DynamoDBItemKey, in table: TableDefinition)
        -> DerivedRow?
    {
        guard let row = schema.row(of: item) else { return nil }
        return DerivedRow(
            key: space.key(row + key.bytes),
            value: DynamoDBItemCodec.encode(projection(of: item, in: table)))
    }

    private func projection(of item: AttributeMap, in table: TableDefinition) -> AttributeMap {
        projected == .all ? item : item.filter { projects($0, of: table) }
    }

    /// Whether the index has this attribute of an item.
    func projects(_ name: String, of table: TableDefinition) -> Bool {
        if schema.contains(name) || table.schema.contains(name) { return true }
        return switch projected {
        case .all: true
        case .keysOnly: false
        case .include(let names): names.contains { $0.isSame(as: name) }
        }
    }

    /// Throws if a value cannot be an index key: wrong type, empty, or too long.
    func check(_ item: AttributeMap) throws(DynamoDBError) {
        for attribute in schema.attributes {
            guard let value = item[attribute.name] else { continue }
            guard value.kind == attribute.kind else {
                throw .invalidParameters(
                    "Type mismatch for Index Key \(attribute.name) Expected: "
                        + "\(attribute.kind.rawValue) Actual: \(value.kind.rawValue) "
                        + "IndexName: \(name)")
            }
            guard !value.isEmptyScalar else {
                throw .validation(
                    "One or more parameter values are not valid. A value specified for a "
                        + "secondary index key is not supported. The AttributeValue for a key "
                        + "attribute cannot contain an empty "
                        + "\(value.kind == .string ? "string" : "binary") value. "
                        + "IndexName: \(name), IndexKey: \(attribute.name)")
            }
            try schema.checkSize(of: value, attribute)
        }
    }
}

extension TimeToLive {
    /// Items that expired longer ago are not deleted, as in DynamoDB.
    static let ignoredAge = Span.days(5 * 365)

    /// The item's row in expiry order: its second, then its key.
    func row(of item: AttributeMap, _ key: DynamoDBItemKey) -> DerivedRow? {
        guard case .number(let number)? = item[attribute], let second = number.int64, second >= 0
        else { return nil }
        return DerivedRow(key: space.key(Self.bytes(second) + key.bytes), value: [])
    }

    static func bytes(_ second: Int64) -> [UInt8] {
        stride(from: 56, through: 0, by: -8).map {
            UInt8(truncatingIfNeeded: second >> Int64($0))
        }
    }
}

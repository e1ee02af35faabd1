internal import Bytes
internal import JSON

/// A permission that a request needs: an action on a table or an index, and the items concerned.
package struct DynamoDBAccess: Equatable, Sendable {
    /// The operation's name without its prefix: `GetItem`.
    package let action: String
    package let table: String
    package let index: String?
    /// The condition key `dynamodb:LeadingKeys`: the partition keys of all items that are read or
    /// written. nil if the request names none: `Scan` reads all partitions, and for an invalid
    /// request it is unknown.
    package let leadingKeys: [String]?
    /// The condition keys `dynamodb:Attributes` and `dynamodb:Select` of Query and Scan: the
    /// top-level attributes that the request names, and its `Select`. nil if absent.
    package var attributes: [String]?
    package var select: String?

    init(_ action: String, _ table: String, index: String? = nil, leadingKeys: [String]? = nil) {
        self.action = action
        self.table = table
        self.index = index
        self.leadingKeys = leadingKeys
    }
}

extension DynamoDBService {
    /// The permissions that this request needs. Empty for an invalid request, which the operation
    /// itself rejects.
    package func accesses(of call: DynamoDBRequest) -> [DynamoDBAccess] {
        guard let operation = call.operation, let request = try? Self.parse(call.body) else {
            return []
        }
        let all = try? withTables { tables throws(DynamoDBError) in
            AccessReader(request: request, definitions: tables.definitions).accesses(of: operation)
        }
        return all ?? []
    }
}

/// Reads the keys of a request with the parsers of its operation, so that both always agree on the
/// items.
private struct AccessReader {
    let request: JSONObject
    let definitions: [String: TableDefinition]

    func accesses(of operation: DynamoDBOperation) -> [DynamoDBAccess] {
        let action = operation.rawValue
        let table = Self.tableName(request)
        switch operation {
        case .listTables, .describeLimits, .describeEndpoints: return [DynamoDBAccess(action, "*")]
        case .putItem: return [access(action, table, [request["Item"]])]
        case .getItem, .updateItem, .deleteItem: return [access(action, table, [request["Key"]])]
        case .query: return [rangeRead(action, isQuery: true)]
        case .scan: return [rangeRead(action, isQuery: false)]
        case .batchGetItem, .batchWriteItem:
            return (request["RequestItems"]?.objectValue?.members ?? []).map { member in
                access(action, member.name, Self.keys(ofBatch: member.value))
            }
        case .transactGetItems, .transactWriteItems:
            return (request["TransactItems"]?.arrayValue ?? []).flatMap { item in
                (item.objectValue?.members ?? []).compactMap { name, part in
                    guard let action = Self.transactionParts[name], let part = part.objectValue
                    else { return nil }
                    let key = part[name.isSame(as: "Put") ? "Item" : "Key"]
                    return access(action, Self.tableName(part), [key])
                }
            }
        default: return [DynamoDBAccess(action, table)]
        }
    }

    /// Each action inside a transaction needs its own permission.
    private static let transactionParts = [
        "Put": "PutItem", "Update": "UpdateItem", "Delete": "DeleteItem", "Get": "GetItem",
        "ConditionCheck": "ConditionCheckItem",
    ]

    private static func tableName(_ request: JSONObject) -> String {
        let name = request["TableName"]?.stringValue ?? "*"
        return name.split(separator: "/").last.map(String.init) ?? name
    }

    private static func keys(ofBatch part: JSON) -> [JSON?] {
        if let keys = part["Keys"]?.arrayValue { return keys }
        return (part.arrayValue ?? []).map { write in
            write["PutRequest"]?["Item"] ?? write["DeleteRequest"]?["Key"]
        }
    }

    /// - Parameter items: whole items or only their keys. If one has no valid key, the condition
    ///   key is omitted for all of them: a partial list must not grant access.
    private func access(_ action: String, _ table: String, _ items: [JSON?]) -> DynamoDBAccess {
        guard let schema = definitions[table]?.schema else { return DynamoDBAccess(action, table) }
        let keys = items.compactMap { item -> String? in
            guard let item, let attribute = item[schema.hash.name] else { return nil }
            return (try? WireReader.value(attribute))?.leadingKey
        }
        return DynamoDBAccess(
            action, table, leadingKeys: keys.count == items.count && !keys.isEmpty ? keys : nil)
    }

    private func rangeRead(_ action: String, isQuery: Bool) -> DynamoDBAccess {
        let table = Self.tableName(request)
        let index = request["IndexName"]?.stringValue
        var reader = RequestReader(request)
        guard let parameters = try? RangeReadRequest(&reader, isQuery: isQuery),
            let read = try? parameters.checked(isQuery: isQuery)
        else { return DynamoDBAccess(action, table, index: index) }
        let key = read.keyCondition.flatMap { queriedKey($0, table, index) }
        var access = DynamoDBAccess(action, table, index: index, leadingKeys: key.map { [$0] })
        var names = read.projection?.paths.map(\.root) ?? []
        names += (read.filter?.roots ?? []) + (read.keyCondition?.roots ?? [])
        if !names.isEmpty { access.attributes = names }
        access.select = read.select?.rawValue
        return access
    }

    private func queriedKey(
        _ condition: DynamoDBCondition, _ table: String, _ index: String?
    ) -> String? {
        guard let table = definitions[table] else { return nil }
        var schema = table.schema
        if let index {
            guard let found = table.index(index) else { return nil }
            schema = found.schema
        }
        return (try? KeyCondition(condition, schema: schema))?.hash.leadingKey
    }
}

extension AttributeValue {
    /// The key as policies compare it; nil for a value that cannot be a key.
    fileprivate var leadingKey: String? {
        switch self {
        case .string(let text): text
        case .number(let number): number.description
        case .binary(let bytes): Base64.encode(bytes)
        case .bool, .null, .list, .map, .stringSet, .numberSet, .binarySet: nil
        }
    }
}

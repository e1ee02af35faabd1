internal import Bytes
internal import JSON

/// The common parameters of Query and Scan: which range of a table or an index is read, and which
/// attributes are returned.
struct RangeReadRequest {
    enum Select: String, CaseIterable {
        case specific = "SPECIFIC_ATTRIBUTES"
        case count = "COUNT"
        case all = "ALL_ATTRIBUTES"
        case projected = "ALL_PROJECTED_ATTRIBUTES"
    }

    let tableName: String
    let indexName: String?
    let isConsistent: Bool
    let limit: Int?
    let detail: CapacityDetail
    private let select: Select?
    private let startKey: JSONObject?
    private let filter: String?
    private let projection: String?
    private let keyCondition: String?
    private let names: JSONObject?
    private let values: JSONObject?
    private let reader: RequestReader

    init(_ reader: inout RequestReader, isQuery: Bool) throws(DynamoDBError) {
        tableName = try reader.tableName()
        indexName = try reader.string("IndexName")
        if let indexName { reader.checkName(indexName, "IndexName") }
        isConsistent = try reader.bool("ConsistentRead") ?? false
        limit = try reader.integer("Limit", min: 1)
        detail = try reader.returnConsumedCapacity()
        let word = try reader.word("Select", Select.allCases.map(\.rawValue))
        select = word.flatMap(Select.init)
        startKey = try reader.object("ExclusiveStartKey")
        filter = try reader.string("FilterExpression")
        projection = try reader.string("ProjectionExpression")
        keyCondition = isQuery ? try reader.string("KeyConditionExpression") : nil
        names = try reader.object("ExpressionAttributeNames")
        values = try reader.object("ExpressionAttributeValues")
        self.reader = reader
    }

    func checked(isQuery: Bool) throws(DynamoDBError) -> RangeRead {
        try LegacyParameters.refuse(in: reader)
        try checkPlaceholdersHaveUse(isQuery: isQuery)
        let startKey = try startKey.map { key throws(DynamoDBError) in
            try WireReader.map(.object(key))
        }
        try checkSelect()
        var placeholders = try Placeholders(names: names, values: values)
        var parsedFilter: DynamoDBCondition?
        if let filter { parsedFilter = try .parse(filter, .filter, &placeholders) }
        var parsedProjection: Projection?
        if let projection { parsedProjection = try .parse(projection, &placeholders) }
        var parsedKeys: DynamoDBCondition?
        if let keyCondition {
            parsedKeys = try .parse(keyCondition, .keyCondition, &placeholders)
        }
        try placeholders.checkAllUsed()
        return RangeRead(
            tableName: tableName, indexName: indexName, isConsistent: isConsistent, limit: limit,
            startKey: startKey, filter: parsedFilter, projection: parsedProjection,
            keyCondition: parsedKeys, select: select)
    }

    private func checkPlaceholdersHaveUse(isQuery: Bool) throws(DynamoDBError) {
        let expressions = [filter, projection, keyCondition]
        if names != nil, expressions.allSatisfy({ $0 == nil }) {
            throw .validation(
                "ExpressionAttributeNames can only be specified when using expressions")
        }
        if values != nil, filter == nil, keyCondition == nil {
            throw .validation(
                "ExpressionAttributeValues can only be specified when using expressions: "
                    + (isQuery
                        ? "FilterExpression and KeyConditionExpression are null"
                        : "FilterExpression is null"))
        }
    }

    private func checkSelect() throws(DynamoDBError) {
        switch (select, projection) {
        case (.specific?, nil):
            throw .validation(
                "Must specify the AttributesToGet or ProjectionExpression when choosing to get "
                    + "SPECIFIC_ATTRIBUTES")
        case (.count?, _?):
            throw .validation(
                "Cannot specify the ProjectionExpression when choosing to get only the Count")
        case (.all?, _?), (.projected?, _?):
            throw .validation(
                "Cannot specify the ProjectionExpression when choosing to get "
                    + (select?.rawValue ?? ""))
        case (.projected?, nil) where indexName == nil:
            throw .validation(
                "ALL_PROJECTED_ATTRIBUTES can be used only when Querying using an IndexName")
        default: break
        }
    }
}

struct RangeRead {
    let tableName: String
    let indexName: String?
    let isConsistent: Bool
    let limit: Int?
    let startKey: AttributeMap?
    let filter: DynamoDBCondition?
    let projection: Projection?
    let keyCondition: DynamoDBCondition?
    let select: RangeReadRequest.Select?
}

/// The table or index that is read.
struct ReadTarget {
    let table: TableDefinition
    let index: IndexDefinition?

    var space: Keyspace { index?.space ?? table.space }
    var schema: KeySchema { index?.schema ?? table.schema }

    init(_ read: RangeRead, in tables: Tables) throws(DynamoDBError) {
        table = try tables.table(read.tableName)
        guard let name = read.indexName else {
            index = nil
            return
        }
        guard let index = table.index(name) else {
            throw .validation("The table does not have the specified index: \(name)")
        }
        self.index = index
        if read.isConsistent {
            throw .validation("Consistent reads are not supported on global secondary indexes")
        }
        if read.select == .all, index.projected != .all {
            throw .invalidParameters(
                "Select type ALL_ATTRIBUTES is not supported for global secondary index "
                    + "\(name) because its projection type is not ALL")
        }
    }

    /// The attributes that determine an item's position in the range.
    var keyAttributes: [KeyAttribute] {
        guard let index else { return table.schema.attributes }
        return index.schema.attributes
            + table.schema.attributes.filter { !index.schema.contains($0.name) }
    }

    func position(of item: AttributeMap) -> AttributeMap {
        let names = keyAttributes.map(\.name)
        return item.filter { name in names.contains { $0.isSame(as: name) } }
    }

    /// The row of an exclusive start key, which must have exactly the key's attributes with the
    /// right types.
    func row(ofStart key: AttributeMap) throws(DynamoDBError) -> [UInt8] {
        let attributes = keyAttributes
        guard key.count == attributes.count,
            attributes.allSatisfy({ key[$0.name]?.kind == $0.kind }),
            let place = table.schema.row(of: key)
        else { throw Self.invalidStart }
        guard let index else { return space.key(place) }
        guard let row = index.schema.row(of: key) else { throw Self.invalidStart }
        return space.key(row + place)
    }

    static let invalidStart = DynamoDBError.validation("The provided starting key is invalid")
}

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
    private let keyConditions: LegacyConditions?
    private let legacyFilter: LegacyConditions?
    private let combination: ConditionalOperator?
    private let attributesToGet: AttributesToGet?
    private let reader: RequestReader

    init(_ reader: inout RequestReader, isQuery: Bool) throws(DynamoDBError) {
        tableName = try reader.tableName(minLength: 1)
        indexName = try reader.string("IndexName")
        if let indexName { reader.checkName(indexName, "IndexName") }
        isConsistent = try reader.bool("ConsistentRead") ?? false
        limit = try reader.integer("Limit", min: isQuery ? nil : 1)
        // For Query the service reports this violation separately, with a different message.
        if isQuery, let limit, limit < 1 {
            throw .validation(
                "1 validation error detected: Value at 'Limit' failed to satisfy constraint: "
                    + "Member must have value greater than or equal to 1")
        }
        detail = try reader.returnConsumedCapacity()
        let word = try reader.word("Select", Select.allCases.map(\.rawValue))
        select = word.flatMap(Select.init)
        startKey = try reader.object("ExclusiveStartKey")
        filter = try reader.string("FilterExpression")
        projection = try reader.string("ProjectionExpression")
        keyCondition = isQuery ? try reader.string("KeyConditionExpression") : nil
        names = try reader.object("ExpressionAttributeNames")
        values = try reader.object("ExpressionAttributeValues")
        keyConditions = isQuery ? try LegacyConditions(&reader, "KeyConditions") : nil
        legacyFilter = try LegacyConditions(&reader, isQuery ? "QueryFilter" : "ScanFilter")
        combination = try ConditionalOperator.read(&reader)
        attributesToGet = try AttributesToGet(&reader)
        self.reader = reader
    }

    func checked(isQuery: Bool) throws(DynamoDBError) -> RangeRead {
        try checkKinds(isQuery: isQuery)
        try checkPlaceholdersHaveUse(isQuery: isQuery)
        let startKey = try startKey.map { key throws(DynamoDBError) in
            try WireReader.map(.object(key))
        }
        try checkSelect()
        let legacyFilter = try filterCondition()
        var parsedProjection = try attributesToGet?.projection()
        if isQuery, keyCondition == nil, keyConditions == nil {
            throw .validation(
                "Either the KeyConditions or KeyConditionExpression parameter must be specified "
                    + "in the request.")
        }
        var placeholders = try Placeholders(names: names, values: values)
        var parsedKeys: DynamoDBCondition?
        if let keyCondition {
            parsedKeys = try .parse(keyCondition, .keyCondition, &placeholders)
        }
        var parsedFilter = legacyFilter
        if let filter { parsedFilter = try .parse(filter, .filter, &placeholders) }
        if let projection { parsedProjection = try .parse(projection, &placeholders) }
        try placeholders.checkAllUsed()
        if let keyConditions { parsedKeys = try keyConditions.keyCondition() }
        return RangeRead(
            tableName: tableName, indexName: indexName, isConsistent: isConsistent, limit: limit,
            startKey: startKey, filter: parsedFilter, isFilterLegacy: legacyFilter != nil,
            projection: parsedProjection, keyCondition: parsedKeys, select: select)
    }

    private func checkKinds(isQuery: Bool) throws(DynamoDBError) {
        guard
            keyConditions != nil || legacyFilter != nil || combination != nil
                || attributesToGet != nil
        else { return }
        var legacy = ["AttributesToGet", isQuery ? "QueryFilter" : "ScanFilter"]
        legacy.append("ConditionalOperator")
        var expressions = ["ProjectionExpression", "FilterExpression"]
        if isQuery { expressions.append("KeyConditionExpression") }
        // Key conditions may be combined with the other two expressions.
        if keyCondition != nil { legacy.append("KeyConditions") }
        try LegacyParameters.refuseMixing(legacy, with: expressions, in: reader)
    }

    private func filterCondition() throws(DynamoDBError) -> DynamoDBCondition? {
        guard let legacyFilter else {
            return try LegacyConditions.combine([], keyConditions == nil ? combination : nil)
        }
        return try LegacyConditions.combine(try legacyFilter.conditions(), combination)
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
        let list = projection != nil ? "ProjectionExpression" : "AttributesToGet"
        let isList = projection != nil || attributesToGet != nil
        switch (select, isList) {
        case (.specific?, false):
            throw .validation(
                "Must specify the AttributesToGet or ProjectionExpression when choosing to get "
                    + "SPECIFIC_ATTRIBUTES")
        case (.count?, true):
            throw .validation(
                "Cannot specify the \(list) when choosing to get only the Count")
        case (.all?, true), (.projected?, true):
            throw .validation(
                "Cannot specify the \(list) when choosing to get \(select?.rawValue ?? "")")
        case (.projected?, false) where indexName == nil:
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
    /// Whether the request used `QueryFilter` or `ScanFilter`.
    let isFilterLegacy: Bool
    let projection: Projection?
    let keyCondition: DynamoDBCondition?
    let select: RangeReadRequest.Select?
}

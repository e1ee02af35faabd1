internal import JSON

/// A write whose members have the right JSON types; `checked` validates the rest.
struct WriteActionRequest {
    let kind: WriteAction.Kind
    let tableName: String
    private let reader: RequestReader
    private let subject: JSONObject
    private let condition: String?
    private let update: String?
    private let expected: Expected?
    private let combination: ConditionalOperator?
    private let attributeUpdates: AttributeUpdates?
    private let names: JSONObject?
    private let values: JSONObject?
    private let returnsItemOnFailure: Bool

    /// - Parameter isAlone: not part of a transaction, which has no legacy parameters.
    init(
        _ kind: WriteAction.Kind, _ reader: inout RequestReader, isAlone: Bool
    ) throws(DynamoDBError) {
        self.kind = kind
        tableName = try reader.tableName(minLength: 1)
        subject = try reader.requiredObject(kind == .put ? "Item" : "Key")
        condition = try reader.string("ConditionExpression")
        update = kind == .update ? try reader.string("UpdateExpression") : nil
        expected = isAlone ? try Expected(&reader) : nil
        combination = isAlone ? try ConditionalOperator.read(&reader) : nil
        attributeUpdates = isAlone && kind == .update ? try AttributeUpdates(&reader) : nil
        names = try reader.object("ExpressionAttributeNames")
        values = try reader.object("ExpressionAttributeValues")
        let onFailure = try reader.word(
            "ReturnValuesOnConditionCheckFailure", ["ALL_OLD", "NONE"])
        returnsItemOnFailure = onFailure == "ALL_OLD"
        self.reader = reader
    }

    /// - Parameter checkResponse: runs after the checks of values and before the checks of
    ///   expressions.
    func checked(_ checkResponse: () throws(DynamoDBError) -> Void = {}) throws(DynamoDBError)
        -> WriteAction
    {
        try checkKinds()
        try checkPlaceholdersHaveUse()
        let item = try WireReader.map(.object(subject))
        try checkResponse()
        var parsedUpdate = try attributeUpdates?.update()
        var parsedCondition = try legacyCondition()
        var placeholders = try Placeholders(names: names, values: values)
        if let update { parsedUpdate = try .parse(update, &placeholders) }
        if let condition { parsedCondition = try .parse(condition, .condition, &placeholders) }
        try placeholders.checkAllUsed()
        return WriteAction(
            kind: kind, tableName: tableName, subject: item, condition: parsedCondition,
            update: parsedUpdate, returnsItemOnFailure: returnsItemOnFailure)
    }

    private func checkKinds() throws(DynamoDBError) {
        guard expected != nil || combination != nil || attributeUpdates != nil else { return }
        try LegacyParameters.refuseMixing(
            ["AttributeUpdates", "Expected", "ConditionalOperator"],
            with: kind == .update
                ? ["UpdateExpression", "ConditionExpression"] : ["ConditionExpression"],
            in: reader)
    }

    private func legacyCondition() throws(DynamoDBError) -> DynamoDBCondition? {
        if let expected { return try expected.condition(combination) }
        return try LegacyConditions.combine([], combination)
    }

    private func checkPlaceholdersHaveUse() throws(DynamoDBError) {
        guard condition == nil, update == nil else { return }
        if names != nil {
            throw .validation(
                "ExpressionAttributeNames can only be specified when using expressions")
        }
        guard values != nil else { return }
        throw .validation(
            "ExpressionAttributeValues can only be specified when using expressions: "
                + (kind == .update
                    ? "UpdateExpression and ConditionExpression are null"
                    : "ConditionExpression is null"))
    }
}

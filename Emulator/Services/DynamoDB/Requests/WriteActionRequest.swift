internal import JSON

/// A write whose members have the right JSON types; `checked` validates the rest.
struct WriteActionRequest {
    let kind: WriteAction.Kind
    let tableName: String
    private let reader: RequestReader
    private let subject: JSONObject
    private let condition: String?
    private let update: String?
    private let names: JSONObject?
    private let values: JSONObject?
    private let returnsItemOnFailure: Bool

    init(_ kind: WriteAction.Kind, _ reader: inout RequestReader) throws(DynamoDBError) {
        self.kind = kind
        tableName = try reader.tableName()
        subject = try reader.requiredObject(kind == .put ? "Item" : "Key")
        condition = try reader.string("ConditionExpression")
        update = kind == .update ? try reader.string("UpdateExpression") : nil
        names = try reader.object("ExpressionAttributeNames")
        values = try reader.object("ExpressionAttributeValues")
        let onFailure = try reader.word(
            "ReturnValuesOnConditionCheckFailure", ["ALL_OLD", "NONE"])
        returnsItemOnFailure = onFailure == "ALL_OLD"
        self.reader = reader
    }

    /// - Parameter checkResponse: checks to be made between those of the values and the
    ///   expressions.
    func checked(_ checkResponse: () throws(DynamoDBError) -> Void = {}) throws(DynamoDBError)
        -> WriteAction
    {
        try LegacyParameters.refuse(in: reader)
        try checkPlaceholdersHaveUse()
        let item = try WireReader.map(.object(subject))
        try checkResponse()
        var placeholders = try Placeholders(names: names, values: values)
        var parsedUpdate: UpdateExpression?
        if let update { parsedUpdate = try .parse(update, &placeholders) }
        var parsedCondition: DynamoDBCondition?
        if let condition { parsedCondition = try .parse(condition, .condition, &placeholders) }
        try placeholders.checkAllUsed()
        return WriteAction(
            kind: kind, tableName: tableName, subject: item, condition: parsedCondition,
            update: parsedUpdate, returnsItemOnFailure: returnsItemOnFailure)
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

/// The legacy parameters that expressions replaced in 2014. They are refused by name.
enum LegacyParameters {
    private static let names = [
        "Expected", "AttributeUpdates", "KeyConditions", "QueryFilter", "ScanFilter",
        "AttributesToGet", "ConditionalOperator",
    ]
    private static let expressions = [
        "ProjectionExpression", "FilterExpression", "UpdateExpression", "ConditionExpression",
        "KeyConditionExpression", "ExpressionAttributeNames", "ExpressionAttributeValues",
    ]

    static func refuse(in reader: RequestReader) throws(DynamoDBError) {
        let legacy = names.filter(reader.has)
        guard let first = legacy.first else { return }
        let modern = expressions.filter(reader.has)
        guard modern.isEmpty else {
            throw .validation(
                "Can not use both expression and non-expression parameters in the same request: "
                    + "Non-expression parameters: {\(legacy.joined(separator: ", "))} "
                    + "Expression parameters: {\(modern.joined(separator: ", "))}")
        }
        throw .validation(
            "This emulator does not support the legacy parameter \(first): use expressions")
    }
}

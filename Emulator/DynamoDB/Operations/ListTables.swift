internal import JSON

extension DynamoDBService {
    private static let namesMax = 100

    func listTables(_ request: RequestReader) throws(DynamoDBError) -> JSON {
        var reader = request
        let limit = try reader.integer("Limit", min: 1, max: Self.namesMax) ?? Self.namesMax
        let start = try reader.string("ExclusiveStartTableName")
        if let start { reader.checkName(start, "ExclusiveStartTableName") }
        try reader.finish()
        let all = try withTables { tables throws(DynamoDBError) in Array(tables.definitions.keys) }
        let names = all.filter { name in start.map { $0.precedes(name) } ?? true }
            .sorted { $0.precedes($1) }
        var answer: [(String, JSON)] = [
            ("TableNames", .array(names.prefix(limit).map(JSON.string)))
        ]
        if names.count > limit {
            answer.append(("LastEvaluatedTableName", .string(names[limit - 1])))
        }
        return .object(JSONObject(answer))
    }
}

internal import JSON

extension DynamoDBService {
    func describeTimeToLive(_ request: RequestReader) throws(DynamoDBError) -> JSON {
        var reader = request
        let name = try reader.tableName()
        try reader.finish()
        let table = try withTables { tables throws(DynamoDBError) in try tables.described(name) }
        guard let timeToLive = table.timeToLive else {
            return ["TimeToLiveDescription": ["TimeToLiveStatus": "DISABLED"]]
        }
        return [
            "TimeToLiveDescription": [
                "TimeToLiveStatus": "ENABLED", "AttributeName": .string(timeToLive.attribute),
            ]
        ]
    }
}

internal import JSON

extension DynamoDBService {
    func describeTable(_ request: RequestReader) throws(DynamoDBError) -> JSON {
        var reader = request
        let name = try reader.tableName()
        try reader.finish()
        return try withTables { tables throws(DynamoDBError) in
            let table = try tables.described(name)
            let size = try tables.measure(table.space)
            return [
                "Table": description(of: table, "ACTIVE", count: size.count, bytes: size.bytes)
            ]
        }
    }
}

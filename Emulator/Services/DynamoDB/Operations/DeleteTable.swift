internal import JSON

extension DynamoDBService {
    func deleteTable(_ request: RequestReader) throws(DynamoDBError) -> JSON {
        var reader = request
        let name = try reader.tableName()
        try reader.finish()
        return try withTables { tables throws(DynamoDBError) in
            let table = try tables.described(name)
            guard !table.isDeletionProtected else {
                throw .validation(
                    "Resource cannot be deleted as it is currently protected against deletion. "
                        + "Disable deletion protection first.")
            }
            let size = try tables.measure(table.space)
            try tables.drop(table)
            return [
                "TableDescription": description(
                    of: table, "DELETING", count: size.count, bytes: size.bytes)
            ]
        }
    }
}

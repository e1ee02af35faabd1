internal import JSON

extension DynamoDBService {
    /// Members that the service omits when it describes a table that is being deleted.
    private static let omittedAtDeletion = [
        "AttributeDefinitions", "KeySchema", "CreationDateTime", "LocalSecondaryIndexes",
        "GlobalSecondaryIndexes",
    ]

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
            var json = description(of: table, "DELETING", count: size.count, bytes: size.bytes)
            if case .object(var members) = json {
                for name in Self.omittedAtDeletion { members[name] = nil }
                json = .object(members)
            }
            return ["TableDescription": json]
        }
    }
}

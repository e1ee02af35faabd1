internal import Bytes
internal import Cryptography
internal import JSON
internal import Time

extension DynamoDBService {
    func createTable(_ request: RequestReader) throws(DynamoDBError) -> JSON {
        var reader = request
        let parameters = try CreateTableRequest(&reader)
        try reader.finish()
        try parameters.check()
        let id = RandomUUID.text(random.bytes(16))
        let now = clock.now()
        let table = try withTables { tables throws(DynamoDBError) in
            guard tables.definitions[parameters.name] == nil else {
                throw .resourceInUse("Table already exists: \(parameters.name)")
            }
            let table = try tables.transaction { tables throws(DynamoDBError) in
                let table = try parameters.definition(id: id, createdAt: now) {
                    () throws(DynamoDBError) in try tables.newSpace()
                }
                try tables.save(table)
                return table
            }
            tables.keep(table)
            return table
        }
        return ["TableDescription": description(of: table, "CREATING", count: 0, bytes: 0)]
    }
}

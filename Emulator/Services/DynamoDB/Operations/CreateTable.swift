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
        let id = newTableID()
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

    /// A random UUID (RFC 9562 section 5.4), in lower case.
    private func newTableID() -> String {
        var bytes = random.bytes(16)
        bytes[6] = bytes[6] & 0x0F | 0x40
        bytes[8] = bytes[8] & 0x3F | 0x80
        let parts = [0..<4, 4..<6, 6..<8, 8..<10, 10..<16].map { Hex.encode(bytes[$0]) }
        return parts.joined(separator: "-")
    }
}

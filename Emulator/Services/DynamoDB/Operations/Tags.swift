internal import Bytes
internal import JSON

/// TagResource, UntagResource and ListTagsOfResource. The responses of the first two have an empty
/// body.
extension DynamoDBService {
    func tagResource(_ request: RequestReader) throws(DynamoDBError) -> [UInt8] {
        var reader = request
        let name = try reader.resource()
        _ = try reader.requiredArray("Tags")
        try reader.finish()
        let added = try CreateTableRequest.tags(reader)
        try changeTags(of: name) { tags in
            for tag in added {
                tags.removeAll { $0.key.isSame(as: tag.key) }
                tags.append(tag)
            }
        }
        return []
    }

    func untagResource(_ request: RequestReader) throws(DynamoDBError) -> [UInt8] {
        var reader = request
        let name = try reader.resource()
        var keys: [String] = []
        for key in try reader.requiredArray("TagKeys") { keys.append(try WireReader.text(key)) }
        try reader.finish()
        let removed = keys
        try changeTags(of: name) { tags in
            tags.removeAll { tag in removed.contains { $0.isSame(as: tag.key) } }
        }
        return []
    }

    func listTagsOfResource(_ request: RequestReader) throws(DynamoDBError) -> JSON {
        var reader = request
        let name = try reader.resource()
        try reader.finish()
        let table = try withTables { tables throws(DynamoDBError) in try tables.described(name) }
        return [
            "Tags": .array(
                table.tags.map { ["Key": .string($0.key), "Value": .string($0.value)] })
        ]
    }

    private func changeTags(
        of name: String, _ change: (inout [(key: String, value: String)]) -> Void
    ) throws(DynamoDBError) {
        try withTables { tables throws(DynamoDBError) in
            var table = try tables.described(name)
            change(&table.tags)
            let changed = table
            try tables.transaction { tables throws(DynamoDBError) in try tables.save(changed) }
            tables.keep(changed)
        }
    }
}

extension RequestReader {
    fileprivate mutating func resource() throws(DynamoDBError) -> String {
        guard has("ResourceArn") else {
            violate(nil, "ResourceArn", "Member must not be null")
            return ""
        }
        return try tableName("ResourceArn")
    }
}

internal import Bytes
internal import JSON

/// TagResource, UntagResource and ListTagsOfResource. The responses of the first two have an empty
/// body.
extension DynamoDBService {
    func tagResource(_ request: RequestReader) throws(DynamoDBError) -> [UInt8] {
        var reader = request
        let arn = try reader.string("ResourceArn")
        if !reader.has("Tags") { reader.violate(nil, "Tags", "Member must not be null") }
        let added = try TagList.read(&reader)
        let name = try table(ofResource: arn, "TagResource")
        try reader.finish()
        guard !added.isEmpty else {
            throw .validation("Atleast one Tag needs to be provided as Input.")
        }
        try changeTags(of: name, arn) { tags throws(DynamoDBError) in
            try TagList.merged(tags, added)
        }
        return []
    }

    func untagResource(_ request: RequestReader) throws(DynamoDBError) -> [UInt8] {
        var reader = request
        let arn = try reader.string("ResourceArn")
        var keys: [String] = []
        for key in try reader.requiredArray("TagKeys") { keys.append(try WireReader.text(key)) }
        let name = try table(ofResource: arn, "UntagResource")
        try reader.finish()
        guard !keys.isEmpty else {
            throw .validation("Atleast one Tag Key needs to be provided as Input.")
        }
        let removed = keys
        try changeTags(of: name, arn) { tags throws(DynamoDBError) in
            tags.filter { tag in !removed.contains { $0.isSame(as: tag.key) } }
        }
        return []
    }

    func listTagsOfResource(_ request: RequestReader) throws(DynamoDBError) -> JSON {
        let arn = try request.string("ResourceArn")
        let name = try table(ofResource: arn, "ListTagsOfResource")
        let table = try withTables { tables throws(DynamoDBError) in
            try Self.tagged(name, arn, in: tables)
        }
        return [
            "Tags": .array(
                table.tags.map { ["Key": .string($0.key), "Value": .string($0.value)] })
        ]
    }

    private func changeTags(
        of name: String, _ arn: String?,
        _ change: ([TagList.Tag]) throws(DynamoDBError) -> [TagList.Tag]
    ) throws(DynamoDBError) {
        try withTables { tables throws(DynamoDBError) in
            var table = try Self.tagged(name, arn, in: tables)
            table.tags = try change(table.tags)
            let changed = table
            try tables.transaction { tables throws(DynamoDBError) in try tables.save(changed) }
            tables.keep(changed)
        }
    }

    private static func tagged(_ name: String, _ arn: String?, in tables: Tables)
        throws(DynamoDBError) -> TableDefinition
    {
        guard let table = tables.definitions[name] else {
            throw .resourceNotFound(
                "Requested resource not found: ResourcArn: \(arn ?? "") not found")
        }
        return table
    }

    /// The table's name in its ARN. Other resources have no tags here.
    private func table(ofResource arn: String?, _ operation: String) throws(DynamoDBError)
        -> String
    {
        guard let arn else { throw .validation("Invalid TableArn") }
        let parts = arn.split(separator: ":", maxSplits: 5, omittingEmptySubsequences: false)
        guard parts[0] == "arn" else {
            throw .validation("ARNs must start with 'arn:': \(arn)")
        }
        guard parts.count == 6, parts[4] == account, parts[5].utf8.contains(UInt8(ascii: "/"))
        else {
            throw .accessDenied(
                "User: arn:aws:iam::\(account):root is not authorized to perform: "
                    + "dynamodb:\(operation) on resource: \(arn.utf8.isEmpty ? "*" : arn)")
        }
        let path = parts[5].split(separator: "/", omittingEmptySubsequences: false)
        guard parts[2] == "dynamodb", path.count == 2, path[0] == "table",
            path[1].utf8.count >= 3
        else {
            throw .validation(
                "Invalid TableArn: Invalid ResourceArn provided as input \(arn)")
        }
        return String(path[1])
    }
}

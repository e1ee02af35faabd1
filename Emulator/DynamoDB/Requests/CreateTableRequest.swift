internal import Bytes
internal import JSON
internal import Time

struct CreateTableRequest {
    let name: String
    private let attributes: [KeyAttribute]
    private let key: [TableSchemaReader.KeyPart]
    private let localIndexes: [TableSchemaReader.Index]?
    private let indexes: [TableSchemaReader.Index]?
    private let throughput: Throughput?
    private let billing: String?
    private let tableClass: String?
    private let isProtected: Bool
    private let tags: [TagList.Tag]
    private let hasStream: Bool

    init(_ reader: inout RequestReader) throws(DynamoDBError) {
        guard reader.has("TableName") else {
            throw .validation(
                "The parameter 'TableName' is required but was not present in the request")
        }
        attributes = try TableSchemaReader.attributes(&reader)
        name = try reader.tableName()
        key = try TableSchemaReader.keySchema(&reader)
        throughput = try TableSchemaReader.throughput(&reader)
        billing = try reader.word("BillingMode", ["PROVISIONED", "PAY_PER_REQUEST"])
        tableClass = try reader.word("TableClass", ["STANDARD", "STANDARD_INFREQUENT_ACCESS"])
        isProtected = try reader.bool("DeletionProtectionEnabled") ?? false
        tags = try TagList.read(&reader)
        let stream = try reader.object("StreamSpecification")
        hasStream = stream?["StreamEnabled"] == .bool(true)
        localIndexes = try TableSchemaReader.indexes(&reader, "LocalSecondaryIndexes")
        indexes = try TableSchemaReader.indexes(&reader, "GlobalSecondaryIndexes")
    }

    private var isOnDemand: Bool { billing == "PAY_PER_REQUEST" }

    func check() throws(DynamoDBError) {
        if hasStream {
            throw .validation(
                "This emulator does not support StreamSpecification: it has no streams")
        }
        if isOnDemand, throughput != nil {
            throw .invalidParameters(
                "Neither ReadCapacityUnits nor WriteCapacityUnits can be specified when "
                    + "BillingMode is PAY_PER_REQUEST")
        }
        if !isOnDemand, throughput == nil {
            throw .invalidParameters(
                "ReadCapacityUnits and WriteCapacityUnits must both be specified when "
                    + "BillingMode is PROVISIONED")
        }
        if let throughput { try throughput.check() }
        if let name = attributes.map(\.name).firstRepeated {
            throw .invalidParameters("Duplicate AttributeName in AttributeDefinitions: \(name)")
        }
        let schema = try TableSchemaReader.schema(key, attributes, isTable: true)
        try checkAttributeCount()
        if let localIndexes { try checkLocal(localIndexes, schema) }
        if let indexes { try checkGlobal(indexes) }
        try checkAttributesAreUsed()
        try TagList.check(tags)
    }

    private func checkLocal(
        _ indexes: [TableSchemaReader.Index], _ schema: KeySchema
    ) throws(DynamoDBError) {
        guard !indexes.isEmpty else {
            throw .invalidParameters("List of LocalSecondaryIndexes is empty")
        }
        guard schema.range != nil else {
            throw .invalidParameters(
                "Table KeySchema does not have a range key, which is required when specifying a "
                    + "LocalSecondaryIndex")
        }
        for (number, index) in indexes.enumerated() {
            let definition = try TableSchemaReader.definition(
                index, attributes, space: .catalogue, isLocal: true)
            guard definition.schema.range != nil else {
                throw .invalidParameters(
                    "Index KeySchema does not have a range key for index: \(index.name)")
            }
            let hash = definition.schema.hash.name
            guard hash.isSame(as: schema.hash.name) else {
                throw .invalidParameters(
                    "Index KeySchema does not have the same leading hash key as table KeySchema "
                        + "for index: \(index.name). index hash key: \(hash), "
                        + "table hash key: \(schema.hash.name)")
            }
            try Self.checkName(of: index, among: indexes[..<number])
        }
        guard indexes.count <= TableSchemaReader.localIndexesMax else {
            throw .invalidParameters(
                "Number of LocalSecondaryIndexes exceeds per-table limit of "
                    + "\(TableSchemaReader.localIndexesMax)")
        }
    }

    private func checkGlobal(_ indexes: [TableSchemaReader.Index]) throws(DynamoDBError) {
        guard !indexes.isEmpty else {
            throw .invalidParameters("List of GlobalSecondaryIndexes is empty")
        }
        for (number, index) in indexes.enumerated() {
            _ = try TableSchemaReader.definition(index, attributes, space: .catalogue)
            try index.checkThroughput(isOnDemand: isOnDemand)
            try Self.checkName(of: index, among: (localIndexes ?? []) + indexes[..<number])
        }
        guard indexes.count <= TableSchemaReader.indexesMax else {
            throw .invalidParameters(
                "GlobalSecondaryIndex count exceeds the per-table limit of "
                    + "\(TableSchemaReader.indexesMax)")
        }
    }

    private static func checkName(
        of index: TableSchemaReader.Index, among others: some Sequence<TableSchemaReader.Index>
    ) throws(DynamoDBError) {
        guard !others.contains(where: { $0.name.isSame(as: index.name) }) else {
            throw .invalidParameters("Duplicate index name: \(index.name)")
        }
    }

    private func checkAttributeCount() throws(DynamoDBError) {
        guard indexes != nil || localIndexes != nil || key.count == attributes.count else {
            throw .invalidParameters(
                "Number of attributes in KeySchema does not exactly match number of attributes "
                    + "defined in AttributeDefinitions")
        }
    }

    private func checkAttributesAreUsed() throws(DynamoDBError) {
        let used = (key + ((localIndexes ?? []) + (indexes ?? [])).flatMap(\.key)).map(\.name)
        let isUsed = { (attribute: KeyAttribute) in
            used.contains { $0.isSame(as: attribute.name) }
        }
        guard attributes.allSatisfy(isUsed) else {
            throw .invalidParameters(
                "Some AttributeDefinitions are not used. AttributeDefinitions: "
                    + "[\(attributes.map(\.name).joined(separator: ", "))], "
                    + "keys used: [\(used.joined(separator: ", "))]")
        }
    }

    /// - Parameter space: returns a new keyspace for each call.
    func definition(
        id: String, createdAt: Instant, space: () throws(DynamoDBError) -> Keyspace
    ) throws(DynamoDBError) -> TableDefinition {
        let schema = try TableSchemaReader.schema(key, attributes, isTable: true)
        let tableSpace = try space()
        var definitions: [IndexDefinition] = []
        for index in localIndexes ?? [] {
            definitions.append(
                try TableSchemaReader.definition(
                    index, attributes, space: space(), isLocal: true))
        }
        for index in indexes ?? [] {
            definitions.append(
                try TableSchemaReader.definition(index, attributes, space: space()))
        }
        var table = TableDefinition(
            name: name, id: id, space: tableSpace, schema: schema, attributes: attributes,
            indexes: definitions, throughput: isOnDemand ? nil : throughput, createdAt: createdAt)
        table.isDeletionProtected = isProtected
        table.tableClass = tableClass
        table.tags = tags
        if isOnDemand { table.onDemandSince = createdAt }
        return table
    }
}

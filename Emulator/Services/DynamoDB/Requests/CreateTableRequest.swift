internal import Bytes
internal import JSON
internal import Time

struct CreateTableRequest {
    let name: String
    private let attributes: [KeyAttribute]
    private let key: [TableSchemaReader.KeyPart]
    private let indexes: [TableSchemaReader.Index]?
    private let throughput: Throughput?
    private let billing: String?
    private let tableClass: String?
    private let isProtected: Bool
    private let tags: [(key: String, value: String)]
    private let hasLocalIndexes: Bool
    private let hasStream: Bool

    init(_ reader: inout RequestReader) throws(DynamoDBError) {
        attributes = try TableSchemaReader.attributes(&reader)
        name = try reader.tableName()
        key = try TableSchemaReader.keySchema(&reader)
        throughput = try TableSchemaReader.throughput(&reader)
        billing = try reader.word("BillingMode", ["PROVISIONED", "PAY_PER_REQUEST"])
        tableClass = try reader.word("TableClass", ["STANDARD", "STANDARD_INFREQUENT_ACCESS"])
        isProtected = try reader.bool("DeletionProtectionEnabled") ?? false
        tags = try Self.tags(reader)
        hasLocalIndexes = try reader.array("LocalSecondaryIndexes") != nil
        let stream = try reader.object("StreamSpecification")
        hasStream = stream?["StreamEnabled"] == .bool(true)
        guard let parts = try reader.array("GlobalSecondaryIndexes") else {
            indexes = nil
            return
        }
        var indexes: [TableSchemaReader.Index] = []
        for (number, json) in parts.enumerated() {
            var part = reader.part(
                try WireReader.object(json), "globalSecondaryIndexes.\(number + 1).member")
            indexes.append(try TableSchemaReader.index(&part))
            reader.include(part)
        }
        self.indexes = indexes
    }

    static func tags(_ reader: RequestReader) throws(DynamoDBError) -> [(
        key: String, value: String
    )] {
        var tags: [(key: String, value: String)] = []
        for json in try reader.array("Tags") ?? [] {
            let tag = RequestReader(try WireReader.object(json))
            tags.append((try tag.string("Key") ?? "", try tag.string("Value") ?? ""))
        }
        return tags
    }

    private var isOnDemand: Bool { billing == "PAY_PER_REQUEST" }

    func check() throws(DynamoDBError) {
        if hasLocalIndexes {
            throw .validation(
                "This emulator does not support LocalSecondaryIndexes: "
                    + "use GlobalSecondaryIndexes")
        }
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
        _ = try TableSchemaReader.schema(key, attributes, isTable: true)
        try checkIndexes()
        try checkAttributesAreUsed()
    }

    private func checkIndexes() throws(DynamoDBError) {
        guard let indexes else { return }
        guard !indexes.isEmpty else {
            throw .invalidParameters("List of GlobalSecondaryIndexes is empty")
        }
        for (number, index) in indexes.enumerated() {
            _ = try TableSchemaReader.definition(
                index, attributes, space: .catalogue, isProvisioned: !isOnDemand)
            if indexes[..<number].contains(where: { $0.name.isSame(as: index.name) }) {
                throw .invalidParameters("Duplicate index name: \(index.name)")
            }
        }
        guard indexes.count <= TableSchemaReader.indexesMax else {
            throw .invalidParameters(
                "GlobalSecondaryIndex count exceeds the per-table limit of 20")
        }
    }

    private func checkAttributesAreUsed() throws(DynamoDBError) {
        let used = (key + (indexes ?? []).flatMap(\.key)).map(\.name)
        let isUsed = { (attribute: KeyAttribute) in
            used.contains { $0.isSame(as: attribute.name) }
        }
        guard attributes.allSatisfy(isUsed) else {
            if indexes == nil {
                throw .invalidParameters(
                    "Number of attributes in KeySchema does not exactly match number of "
                        + "attributes defined in AttributeDefinitions")
            }
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
        for index in indexes ?? [] {
            definitions.append(
                try TableSchemaReader.definition(
                    index, attributes, space: space(), isProvisioned: !isOnDemand))
        }
        var table = TableDefinition(
            name: name, id: id, space: tableSpace, schema: schema, attributes: attributes,
            indexes: definitions, throughput: isOnDemand ? nil : throughput, createdAt: createdAt)
        table.isDeletionProtected = isProtected
        table.tableClass = tableClass
        table.tags = tags
        return table
    }
}

internal import Bytes
internal import JSON

/// One of `GlobalSecondaryIndexUpdates`.
enum IndexChange {
    case create(TableSchemaReader.Index)
    case delete(String)
    case update(String, Throughput?)

    static func read(_ reader: inout RequestReader) throws(DynamoDBError) -> [IndexChange] {
        var changes: [IndexChange] = []
        for (index, json) in (try reader.array("GlobalSecondaryIndexUpdates") ?? []).enumerated() {
            let place = "globalSecondaryIndexUpdates.\(index + 1).member"
            let update = reader.part(try WireReader.object(json), place)
            guard ["Create", "Delete", "Update"].count(where: update.has) <= 1 else {
                throw .invalidParameters(
                    "Only one of GlobalSecondaryIndexUpdate.Update, "
                        + "GlobalSecondaryIndexUpdate.Create, GlobalSecondaryIndexUpdate.Delete "
                        + "can be specified")
            }
            if let create = try update.object("Create") {
                var part = update.part(create, "create")
                changes.append(.create(try TableSchemaReader.index(&part)))
                reader.include(part)
            } else if let delete = try update.object("Delete") {
                var part = update.part(delete, "delete")
                changes.append(.delete(try name(&part)))
                reader.include(part)
            } else if let change = try update.object("Update") {
                var part = update.part(change, "update")
                changes.append(.update(try name(&part), try TableSchemaReader.throughput(&part)))
                reader.include(part)
            } else {
                throw .invalidParameters(
                    "One of GlobalSecondaryIndexUpdate.Update, GlobalSecondaryIndexUpdate.Create, "
                        + "GlobalSecondaryIndexUpdate.Delete must not be null")
            }
        }
        return changes
    }

    private static func name(_ part: inout RequestReader) throws(DynamoDBError) -> String {
        let name = try part.requiredString("IndexName")
        if part.has("IndexName") { part.checkName(name, "IndexName") }
        return name
    }

    private var indexName: String {
        switch self {
        case .create(let index): index.name
        case .delete(let name), .update(let name, _): name
        }
    }

    /// Only one index can be created or deleted at a time.
    static func check(_ changes: [IndexChange]) throws(DynamoDBError) {
        var count = 0
        for (number, change) in changes.enumerated() {
            switch change {
            case .create, .delete: count += 1
            case .update(_, let throughput): try throughput?.check()
            }
            if changes[..<number].contains(where: { $0.indexName.isSame(as: change.indexName) }) {
                throw .invalidParameters(
                    "Only one global secondary index update per index is allowed "
                        + "simultaneously. Index: \(change.indexName)")
            }
        }
        guard count <= 1 else {
            throw .limitExceeded(
                "Subscriber limit exceeded: Only 1 online index can be created or deleted "
                    + "simultaneously per table")
        }
    }

    /// - Parameter attributes: the attributes in the request, which must describe the key of a new
    ///   index.
    func apply(
        to table: inout TableDefinition, _ attributes: [KeyAttribute]?, in tables: Tables
    ) throws(DynamoDBError) {
        switch self {
        case .create(let index): try Self.create(index, in: &table, attributes, tables)
        case .delete(let name):
            let index = try Self.index(name, of: table)
            try tables.store.delete(index.space.all)
            table.indexes.removeAll { $0.space == index.space }
            table.removeUnusedAttributes()
        case .update(let name, let throughput):
            let index = try Self.index(name, of: table)
            for place in table.indexes.indices where table.indexes[place].space == index.space {
                table.indexes[place].throughput = throughput
            }
        }
    }

    private static func index(_ name: String, of table: TableDefinition) throws(DynamoDBError)
        -> IndexDefinition
    {
        guard let index = table.index(name), !index.isLocal else {
            throw .resourceNotFound("Requested resource not found")
        }
        return index
    }

    private static func create(
        _ index: TableSchemaReader.Index, in table: inout TableDefinition,
        _ attributes: [KeyAttribute]?, _ tables: Tables
    ) throws(DynamoDBError) {
        guard table.index(index.name) == nil else {
            throw .validation(
                "Attempting to create an index which already exists: \(index.name)")
        }
        let count = table.indexes.count { !$0.isLocal }
        guard count < TableSchemaReader.indexesMax else {
            throw .limitExceeded(
                "Subscriber limit exceeded: GlobalSecondaryIndex count exceeds the per-table "
                    + "limit of \(TableSchemaReader.indexesMax)")
        }
        try index.checkThroughput(isOnDemand: table.throughput == nil)
        let definition = try TableSchemaReader.definition(
            index, attributes ?? [], space: tables.newSpace())
        for attribute in definition.schema.attributes {
            let known = table.attributes.first { $0.name.isSame(as: attribute.name) }
            guard known == nil || known == attribute else {
                throw .invalidParameters(
                    "Attributes cannot be redefined. Please check that your attribute has the "
                        + "same type as previously defined. Existing schema: "
                        + "Schema:[SchemaElement: key{\(known?.shown ?? "")}] New schema: "
                        + "Schema:[SchemaElement: key{\(attribute.shown)}]")
            }
            if known == nil { table.attributes.append(attribute) }
        }
        table.indexes.append(definition)
        let filled = table
        // The index omits items with a value that the index cannot have.
        try tables.derive(from: table) { item, key in
            (try? definition.check(item)) == nil
                ? nil : definition.row(of: item, key, in: filled)
        }
    }
}

extension KeyAttribute {
    fileprivate var shown: String { "\(name):\(kind.rawValue)" }
}

extension TableDefinition {
    /// Removes the definitions of attributes that no key uses any more.
    fileprivate mutating func removeUnusedAttributes() {
        let schemas = [schema] + indexes.map(\.schema)
        attributes.removeAll { attribute in !schemas.contains { $0.contains(attribute.name) } }
    }
}

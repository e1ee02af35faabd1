internal import Bytes
internal import JSON

extension DynamoDBService {
    private enum IndexChange {
        case create(TableSchemaReader.Index)
        case delete(String)
    }

    func updateTable(_ request: RequestReader) throws(DynamoDBError) -> JSON {
        var reader = request
        let name = try reader.tableName()
        let attributes =
            reader.has("AttributeDefinitions") ? try TableSchemaReader.attributes(&reader) : []
        let throughput = try TableSchemaReader.throughput(&reader)
        let billing = try reader.word("BillingMode", ["PROVISIONED", "PAY_PER_REQUEST"])
        let isProtected = try reader.bool("DeletionProtectionEnabled")
        let changes = try Self.indexChanges(&reader)
        let stream = try reader.object("StreamSpecification")
        try reader.finish()
        guard stream?["StreamEnabled"] != .bool(true) else {
            throw .validation(
                "This emulator does not support StreamSpecification: it has no streams")
        }
        guard
            throughput != nil || billing != nil || isProtected != nil || !changes.isEmpty
                || stream != nil
        else {
            throw .validation(
                "At least one of ProvisionedThroughput, BillingMode, UpdateStreamEnabled, "
                    + "GlobalSecondaryIndexUpdates or SSESpecification or ReplicaUpdates is "
                    + "required")
        }
        return try withTables { tables throws(DynamoDBError) in
            var table = try tables.described(name)
            if billing == "PAY_PER_REQUEST" { table.throughput = nil }
            if let throughput { table.throughput = throughput }
            if let isProtected { table.isDeletionProtected = isProtected }
            for attribute in attributes
            where !table.attributes.contains(where: { $0.name.isSame(as: attribute.name) }) {
                table.attributes.append(attribute)
            }
            let changed = try tables.transaction { tables throws(DynamoDBError) in
                for change in changes { try Self.apply(change, to: &table, tables) }
                try tables.save(table)
                return table
            }
            tables.keep(changed)
            let size = try tables.measure(changed.space)
            return [
                "TableDescription": description(
                    of: changed, "UPDATING", count: size.count, bytes: size.bytes)
            ]
        }
    }

    private static func indexChanges(_ reader: inout RequestReader) throws(DynamoDBError)
        -> [IndexChange]
    {
        var changes: [IndexChange] = []
        for (index, json) in (try reader.array("GlobalSecondaryIndexUpdates") ?? []).enumerated() {
            let place = "globalSecondaryIndexUpdates.\(index + 1).member"
            let update = reader.part(try WireReader.object(json), place)
            if let create = try update.object("Create") {
                var part = update.part(create, "create")
                changes.append(.create(try TableSchemaReader.index(&part)))
                reader.include(part)
            } else if let delete = try update.object("Delete") {
                var part = update.part(delete, "delete")
                changes.append(.delete(try part.requiredString("IndexName")))
                reader.include(part)
            } else if try update.object("Update") == nil {
                throw .invalidParameters(
                    "One of GlobalSecondaryIndexUpdate.Update, GlobalSecondaryIndexUpdate.Create, "
                        + "GlobalSecondaryIndexUpdate.Delete must not be null")
            }
        }
        return changes
    }

    private static func apply(
        _ change: IndexChange, to table: inout TableDefinition, _ tables: Tables
    ) throws(DynamoDBError) {
        switch change {
        case .create(let index):
            guard table.index(index.name) == nil else {
                throw .invalidParameters("Duplicate index name: \(index.name)")
            }
            guard table.indexes.count < TableSchemaReader.indexesMax else {
                throw .invalidParameters(
                    "GlobalSecondaryIndex count exceeds the per-table limit of 20")
            }
            let definition = try TableSchemaReader.definition(
                index, table.attributes, space: tables.newSpace(),
                isProvisioned: table.throughput != nil)
            table.indexes.append(definition)
            let filled = table
            try tables.derive(from: table) { definition.row(of: $0, $1, in: filled) }
        case .delete(let name):
            guard let index = table.index(name) else {
                throw .resourceNotFound("Requested resource not found")
            }
            try tables.store.delete(index.space.all)
            table.indexes.removeAll { $0.space == index.space }
        }
        // Attribute definitions that no key uses any more are removed.
        let schemas = [table.schema] + table.indexes.map(\.schema)
        table.attributes.removeAll { attribute in
            !schemas.contains { $0.contains(attribute.name) }
        }
    }
}

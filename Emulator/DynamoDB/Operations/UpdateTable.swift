internal import Bytes
internal import JSON
internal import Time

extension DynamoDBService {
    func updateTable(_ request: RequestReader) throws(DynamoDBError) -> JSON {
        var reader = request
        let name = try reader.tableName()
        let hasAttributes = reader.has("AttributeDefinitions")
        let attributes = hasAttributes ? try TableSchemaReader.attributes(&reader) : nil
        let throughput = try TableSchemaReader.throughput(&reader)
        let billing = try reader.word("BillingMode", ["PROVISIONED", "PAY_PER_REQUEST"])
        let tableClass = try reader.word(
            "TableClass", ["STANDARD", "STANDARD_INFREQUENT_ACCESS"])
        let isProtected = try reader.bool("DeletionProtectionEnabled")
        let changes = try IndexChange.read(&reader)
        let stream = try reader.object("StreamSpecification")
        try reader.finish()
        guard stream?["StreamEnabled"] != .bool(true) else {
            throw .validation(
                "This emulator does not support StreamSpecification: it has no streams")
        }
        guard
            throughput != nil || billing != nil || isProtected != nil || !changes.isEmpty
                || stream != nil || tableClass != nil
        else {
            throw .validation(
                "At least one of ProvisionedThroughput, BillingMode, UpdateStreamEnabled, "
                    + "GlobalSecondaryIndexUpdates or SSESpecification or ReplicaUpdates is "
                    + "required")
        }
        if billing == "PROVISIONED", throughput == nil {
            throw .invalidParameters(
                "ProvisionedThroughput must be specified when BillingMode is PROVISIONED")
        }
        try throughput?.check()
        try IndexChange.check(changes)
        let now = clock.now()
        return try withTables { tables throws(DynamoDBError) in
            let old = try tables.described(name)
            var table = old
            try Self.setBilling(of: &table, billing, throughput, at: now)
            if let isProtected { table.isDeletionProtected = isProtected }
            if let tableClass { table.tableClass = tableClass }
            let changed = try tables.transaction { tables throws(DynamoDBError) in
                for change in changes {
                    try change.apply(to: &table, attributes, in: tables)
                }
                try tables.save(table)
                return table
            }
            tables.keep(changed)
            let size = try tables.measure(changed.space)
            return [
                "TableDescription": description(
                    of: Self.shown(old, changed), "UPDATING", count: size.count,
                    bytes: size.bytes
                ) { index in
                    if changed.index(index.name) == nil { return "DELETING" }
                    if old.index(index.name) == nil { return "CREATING" }
                    return changed.throughput == old.throughput ? "ACTIVE" : "UPDATING"
                }
            ]
        }
    }

    private static func setBilling(
        of table: inout TableDefinition, _ billing: String?, _ throughput: Throughput?,
        at now: Instant
    ) throws(DynamoDBError) {
        let isOnDemand = billing.map { $0 == "PAY_PER_REQUEST" } ?? (table.throughput == nil)
        guard isOnDemand else {
            guard let throughput else { return }
            if let current = table.throughput, current == throughput {
                throw Self.unchanged(current)
            }
            table.throughput = throughput
            return
        }
        guard throughput == nil else {
            throw .invalidParameters(
                "Neither ReadCapacityUnits nor WriteCapacityUnits can be specified when "
                    + "BillingMode is PAY_PER_REQUEST")
        }
        guard table.throughput != nil else { return }
        table.throughput = nil
        table.onDemandSince = now
        for place in table.indexes.indices { table.indexes[place].throughput = nil }
    }

    private static func unchanged(_ current: Throughput) -> DynamoDBError {
        .validation(
            "The provisioned throughput for the table will not change. The requested value equals "
                + "the current value. Current ReadCapacityUnits provisioned for the table: "
                + "\(current.reads). Requested ReadCapacityUnits: \(current.reads). "
                + "Current WriteCapacityUnits provisioned for the table: \(current.writes). "
                + "Requested WriteCapacityUnits: \(current.writes). "
                + "Refer to the Amazon DynamoDB Developer Guide for current limits and how to "
                + "request higher limits.")
    }

    /// The changed table with the indexes that are being deleted, which the service still lists.
    private static func shown(_ old: TableDefinition, _ changed: TableDefinition)
        -> TableDefinition
    {
        var shown = changed
        shown.indexes += old.indexes.filter { changed.index($0.name) == nil }
        return shown
    }
}

internal import Bytes
internal import JSON
internal import Time

extension DynamoDBService {
    /// The service refuses a second change within about an hour.
    private static let changeInterval = Span.hours(1)

    func updateTimeToLive(_ request: RequestReader) throws(DynamoDBError) -> JSON {
        var reader = request
        let name = try reader.tableName()
        let specification = try reader.requiredObject("TimeToLiveSpecification")
        var part = reader.part(specification, "timeToLiveSpecification")
        let isEnabled = try part.bool("Enabled")
        let attribute = try part.requiredString("AttributeName")
        if part.has("AttributeName") { part.checkLength(attribute, "AttributeName", 1...255) }
        if isEnabled == nil { part.violate(nil, "Enabled", "Member must not be null") }
        reader.include(part)
        try reader.finish()
        let now = clock.now()
        try withTables { tables throws(DynamoDBError) in
            let changed = try tables.transaction { tables throws(DynamoDBError) in
                var table = try tables.described(name)
                try Self.change(
                    &table, attribute: isEnabled == true ? attribute : nil,
                    mentioned: attribute, at: now, in: tables)
                try tables.save(table)
                return table
            }
            tables.keep(changed)
        }
        return ["TimeToLiveSpecification": .object(specification)]
    }

    private static func change(
        _ table: inout TableDefinition, attribute: String?, mentioned: String, at now: Instant,
        in tables: Tables
    ) throws(DynamoDBError) {
        if let current = table.timeToLive {
            guard current.attribute.isSame(as: mentioned) else {
                throw .validation(
                    "TimeToLive is active on a different AttributeName: current AttributeName is "
                        + current.attribute)
            }
            guard attribute == nil else { throw .validation("TimeToLive is already enabled") }
        } else if attribute == nil {
            throw .validation("TimeToLive is already disabled")
        }
        if let last = table.timeToLiveChangedAt, now - last < changeInterval {
            throw .validation(
                "Time to live has been modified multiple times within a fixed interval")
        }
        table.timeToLiveChangedAt = now
        guard let attribute else {
            if let space = table.timeToLive?.space { try tables.store.delete(space.all) }
            table.timeToLive = nil
            return
        }
        let timeToLive = TimeToLive(attribute: attribute, space: try tables.newSpace())
        table.timeToLive = timeToLive
        try tables.derive(from: table) { timeToLive.row(of: $0, $1) }
    }
}

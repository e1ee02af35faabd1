internal import JSON

/// The tables and their items. Not thread-safe: the service uses it under a lock.
struct Tables {
    let store: EntryStore
    /// The definitions by name, which is ASCII: other names are refused earlier.
    private(set) var definitions: [String: TableDefinition] = [:]
    /// The sizes of tables that were described: counted once, then updated incrementally.
    private var measures: [Keyspace: (count: Int, bytes: Int)] = [:]
    private(set) var writers = LastWriters()
    /// The request in progress; nil for the emulator itself.
    var origin: WriteOrigin?

    init(_ location: StorageLocation) throws(DynamoDBError) {
        store = try EntryStore(location)
        var isDamaged = false
        var definitions: [String: TableDefinition] = [:]
        try store.read(Keyspace.catalogue.all) { _, value in
            guard let json = try? JSON.parse(value, limits: .response),
                let definition = TableDefinition(stored: json)
            else {
                isDamaged = true
                return false
            }
            definitions[definition.name] = definition
            return true
        }
        guard !isDamaged else { throw .storage("the catalogue of tables cannot be read") }
        self.definitions = definitions
    }

    /// The table of an item request.
    func table(_ name: String) throws(DynamoDBError) -> TableDefinition {
        guard let table = definitions[name] else {
            throw .resourceNotFound("Requested resource not found")
        }
        return table
    }

    /// The table with this name, for requests about the table itself.
    func described(_ name: String) throws(DynamoDBError) -> TableDefinition {
        guard let table = definitions[name] else {
            throw .resourceNotFound("Requested resource not found: Table: \(name) not found")
        }
        return table
    }

    /// Call this in a transaction; call `keep` after the transaction has succeeded.
    func save(_ table: TableDefinition) throws(DynamoDBError) {
        try store.put(
            Keyspace.catalogue.key(Array(table.name.utf8)), table.stored.serialized)
    }

    mutating func keep(_ table: TableDefinition) { definitions[table.name] = table }

    mutating func drop(_ table: TableDefinition) throws(DynamoDBError) {
        try store.transaction { () throws(DynamoDBError) in
            try store.delete(Keyspace.catalogue.key(Array(table.name.utf8)))
            try store.delete(table.space.all)
            for index in table.indexes { try store.delete(index.space.all) }
            if let timeToLive = table.timeToLive { try store.delete(timeToLive.space.all) }
        }
        definitions[table.name] = nil
        measures[table.space] = nil
    }

    /// A keyspace that was never used. Must be called in a transaction.
    func newSpace() throws(DynamoDBError) -> Keyspace {
        let key = Keyspace.lastNumber.prefix
        let last = try store.value(key)?.reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
        let space = Keyspace(number: last.map { $0 + 1 } ?? Keyspace.firstFree)
        try store.put(key, space.prefix)
        return space
    }

    /// The number of items and their approximate size.
    mutating func measure(_ space: Keyspace) throws(DynamoDBError) -> (count: Int, bytes: Int) {
        if let known = measures[space] { return known }
        let measured = try store.measure(space.all)
        measures[space] = measured
        return measured
    }

    /// The request in progress has written the item, or deleted it.
    mutating func noteWriter(of row: [UInt8], isDeleted: Bool) {
        writers.note(row, isDeleted ? nil : origin)
    }

    func isMeasured(_ space: Keyspace) -> Bool { measures[space] != nil }

    /// Updates the counts for a row that replaced another; nil means no row.
    mutating func remeasure(_ space: Keyspace, old: Int?, new: Int?) {
        guard var measure = measures[space] else { return }
        measure.count += (new == nil ? 0 : 1) - (old == nil ? 0 : 1)
        measure.bytes += (new ?? 0) - (old ?? 0)
        measures[space] = measure
    }

    /// Makes all writes of `body` or none.
    mutating func transaction<Result>(
        _ body: (inout Tables) throws(DynamoDBError) -> Result
    ) throws(DynamoDBError) -> Result {
        let store = store
        do throws(DynamoDBError) {
            return try store.transaction { () throws(DynamoDBError) in try body(&self) }
        } catch {
            // The measures are dropped, because they may include changes that were rolled back.
            measures = [:]
            writers = LastWriters()
            throw error
        }
    }
}

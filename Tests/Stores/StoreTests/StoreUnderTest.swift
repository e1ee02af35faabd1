import AWSClients
import DynamoDBStore
import Foundation
import PostgreSQL
import PostgreSQLStore
import SQLiteStore

/// All backends. Contract tests run once for each.
enum Backend: String, CaseIterable, Sendable, CustomTestStringConvertible {
    case memory, sqlite, postgresql, pgbouncer, moto, emulator

    var testDescription: String { rawValue }

    /// Passes an empty store of this kind to `body` and removes it afterwards.
    func withStore(_ body: (any KeyValueStore, MovableClock) throws -> Void) throws {
        let clock = MovableClock()
        switch self {
        case .memory:
            try body(MemoryStore(clock: clock.wall), clock)
        case .sqlite:
            try withTemporaryDirectory { directory in
                try body(SQLiteStore(path: directory + "/store.db", clock: clock.wall), clock)
            }
        case .postgresql:
            let store = try PostgreSQL.store(clock: clock.wall)
            try store.migrate()
            try body(store, clock)
        case .pgbouncer:
            let url = try PgBouncer.shared().url(table: PostgreSQLServer.newTable())
            let store = try PostgreSQL.store(at: url, clock: clock.wall)
            try store.migrate()
            try body(store, clock)
        case .moto: try Self.withTable(of: try Service.moto(), clock, body)
        case .emulator: try Self.withTable(of: try Service.emulator(), clock, body)
        }
    }

    private static func withTable(
        of client: DynamoDBClient, _ clock: MovableClock,
        _ body: (any KeyValueStore, MovableClock) throws -> Void
    ) throws {
        let store = DynamoDBStore(
            table: "test-\(UUID().uuidString)", clock: clock.wall, random: .system,
            pause: Service.pause, call: DynamoDBCall(client))
        try store.createTable()
        try body(store, clock)
    }
}

/// Stores on the server that the tests share.
enum PostgreSQL {
    static func store(
        at url: String? = nil, clock: WallClock = .system, random: RandomSource = .system,
        authorities: String? = nil, connectionsMax: Int = 8
    ) throws -> PostgreSQLStore {
        let url = try url ?? PostgreSQLServer.shared().newURL()
        return PostgreSQLStore(
            try PostgreSQLAddress(url: url), connectionsMax: connectionsMax, clock: clock,
            random: random, authorities: { authorities }, pause: Service.pause)
    }

    /// A store with a new table.
    static func migrated(connectionsMax: Int = 8) throws -> (
        server: PostgreSQLServer, table: String, store: PostgreSQLStore
    ) {
        let (server, table) = (try PostgreSQLServer.shared(), PostgreSQLServer.newTable())
        let store = try store(at: server.url(table: table), connectionsMax: connectionsMax)
        try store.migrate()
        return (server, table, store)
    }
}

final class MovableClock: Sendable {
    /// Far in the future: a service that deletes expired items by the machine's clock does not
    /// delete items that expire by this one.
    static let start = Instant(milliseconds: 4_102_444_800_500)

    private let instant = Mutex(start)

    var now: Instant { instant.withLock { $0 } }
    var wall: WallClock { WallClock { self.now } }

    func advance(_ span: Span) { instant.withLock { $0 = $0 + span } }
}

func withTemporaryDirectory<Result>(_ body: (String) throws -> Result) throws -> Result {
    let directory = FileManager.default.temporaryDirectory
        .appending(path: "latchkey-store-\(UUID().uuidString)").path(percentEncoded: false)
    try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: false)
    defer { try? FileManager.default.removeItem(atPath: directory) }
    return try body(directory)
}

func withStoreFile(_ body: (String) throws -> Void) throws {
    try withTemporaryDirectory { try body($0 + "/store.db") }
}

extension KeyValueStore {
    func put(_ partition: String, _ sort: String, _ attributes: Attributes = [:]) throws {
        try write([.put(Item(ItemKey(partition, sort), attributes), when: [])])
    }

    /// All items of a query, from all pages.
    func all(_ query: PartitionQuery) throws -> [Item] {
        var query = query
        var items: [Item] = []
        for _ in 0..<1000 {
            let page = try self.query(query)
            items += page.items
            guard let next = page.next else { return items }
            query.after = next
        }
        return items
    }

    func sorts(_ partition: String, prefix: String = "") throws -> [[UInt8]] {
        try all(PartitionQuery(partition, prefix: prefix, limit: 1000)).map {
            Array($0.key.sort.utf8)
        }
    }
}

/// The call is refused for good, or the store is unavailable. Returns the detail.
@discardableResult
func expectFailure(
    isRefused: Bool, _ comment: @autoclosure () -> Comment? = nil,
    sourceLocation: SourceLocation = #_sourceLocation, _ body: () throws -> Void
) -> String {
    let failure = #expect(
        throws: StoreFailure.self, comment(), sourceLocation: sourceLocation, performing: body)
    switch (failure, isRefused) {
    case (.refused(let detail), true), (.unavailable(let detail), false): return detail
    case (let other, _):
        Issue.record("\(String(describing: other))", sourceLocation: sourceLocation)
        return ""
    }
}

func utf8(_ texts: String...) -> [[UInt8]] { texts.map { Array($0.utf8) } }

/// Calls `body` on as many threads at once, however few processors there are, and waits for all of
/// them. The results are in the order of the indices.
func onThreads<Result: Sendable>(
    _ count: Int, _ body: @escaping @Sendable (Int) throws -> Result
) throws -> [Result] {
    let results = Mutex<[Int: Swift.Result<Result, any Error>]>([:])
    let ended = DispatchSemaphore(value: 0)
    for index in 0..<count {
        Thread.detachNewThread {
            let result = Swift.Result { try body(index) }
            results.withLock { $0[index] = result }
            ended.signal()
        }
    }
    for _ in 0..<count { ended.wait() }
    return try results.withLock { results in try (0..<count).compactMap { try results[$0]?.get() } }
}

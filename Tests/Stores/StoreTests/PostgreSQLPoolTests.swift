import Foundation
import PostgreSQLStore

@Suite("PostgreSQL: connections of one process", .hangLimit)
struct PostgreSQLPoolTests {
    private static let never = Instant(milliseconds: .max)

    @Test func `concurrent calls have a connection each, up to the limit`() throws {
        try withLockedTable { store, connections, release in
            let counts = Shared<Int>()
            try during {
                while counts.all.last != 4, counts.all.count < 50 { counts.add(try connections()) }
                // The number of connections stays constant.
                for _ in 0..<3 { counts.add(try connections()) }
                try release()
            } do: {
                // All wait for the table or for a connection.
                let sums = try onThreads(12) { _ in
                    try store.increment(ItemKey("p", "s"), by: 1, expiresAt: Self.never)
                }
                expectEqual(sums.sorted(), Array(1...12))
            }
            expectEqual(counts.all.max(), 4)
            try expectEqual(connections(), 4)
        }
    }

    @Test func `calls one after the other use one connection`() throws {
        let (server, table, store) = try PostgreSQL.migrated()
        for index in 0..<20 { try store.put("p", "\(index)") }
        try expectEqual(Self.connections(server, table), 1)
    }

    @Test func `a call without a connection in time fails with the reason`() throws {
        try withLockedTable { store, _, release in
            let refused = Atomic(0)
            let outcomes = try onThreads(8) { _ -> String? in
                do throws(StoreFailure) {
                    _ = try store.increment(ItemKey("p", "s"), by: 1, expiresAt: Self.never)
                    return nil
                } catch .unavailable(let detail) {
                    if refused.add(1, ordering: .relaxed).newValue == 4 { try release() }
                    return detail
                }
            }
            expectEqual(outcomes.count { $0 == nil }, 4)
            for case let detail? in outcomes {
                #expect(detail.contains("all connections of this process are in use"))
            }
            // The next call gets a connection again.
            try expectEqual(store.increment(ItemKey("p", "s"), by: 1, expiresAt: Self.never), 5)
        }
    }

    @Test func `connections that the server has ended are replaced, all of them`() throws {
        let (server, table, store) = try PostgreSQL.migrated(connectionsMax: 4)
        for round in 0..<3 {
            let sums = try onThreads(8) { _ in
                try store.increment(ItemKey("p", "s"), by: 1, expiresAt: Self.never)
            }
            expectEqual(sums.sorted(), Array(Int64(round * 8 + 1)...Int64(round * 8 + 8)))
            _ = try server.run(
                "SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity "
                    + Self.condition(table))
        }
    }

    /// With four connections at most, while another session has locked the table, until `release`
    /// is called or `body` has ended.
    private func withLockedTable(
        _ body: (
            PostgreSQLStore, _ connections: @escaping @Sendable () throws -> Int,
            _ release: @escaping @Sendable () throws -> Void
        ) throws -> Void
    ) throws {
        let (server, table, store) = try PostgreSQL.migrated(connectionsMax: 4)
        let lock = "BEGIN; LOCK TABLE \(table); SELECT pg_sleep(60)"
        let release: @Sendable () throws -> Void = {
            _ = try server.run(
                "SELECT pg_cancel_backend(pid) FROM pg_stat_activity WHERE query = '\(lock)'")
        }
        try during {
            #expect(throws: PostgreSQLServerFailure.self) { try server.run(lock) }
        } do: {
            while try server.run(
                "SELECT count(*) FROM pg_locks WHERE granted AND mode = 'AccessExclusiveLock' "
                    + "AND relation = '\(table)'::regclass") != "1\n"
            {}
            let result = Result {
                try body(store, { try Self.connections(server, table) }, release)
            }
            try release()
            try result.get()
        }
    }

    private static func connections(_ server: PostgreSQLServer, _ table: String) throws -> Int {
        let count = try server.run("SELECT count(*) FROM pg_stat_activity \(condition(table))")
        return try #require(Int(count.dropLast()))
    }

    /// Selects the store's connections.
    private static func condition(_ table: String) -> String {
        "WHERE application_name = 'latchkey' AND query LIKE '%\(table)%'"
    }
}

/// Runs `other` on a thread while `body` runs.
func during(_ other: @escaping @Sendable () throws -> Void, do body: () throws -> Void) throws {
    let task = BackgroundTask()
    DetachedThread.run { task.end(Result { try other() }) }
    let result = Result { try body() }
    try task.wait()
    try result.get()
}

final class Shared<Value: Sendable>: Sendable {
    private let values = Mutex<[Value]>([])

    var all: [Value] { values.withLock { $0 } }

    func add(_ value: Value) { values.withLock { $0.append(value) } }
}

private final class BackgroundTask: @unchecked Sendable {
    // Unchecked Sendable: `result` is only accessed while `condition` is locked.
    private let condition = NSCondition()
    private var result: Result<Void, any Error>?

    func end(_ result: Result<Void, any Error>) {
        condition.withLock {
            self.result = result
            condition.broadcast()
        }
    }

    func wait() throws {
        try condition.withLock {
            while true {
                if let result { return try result.get() }
                condition.wait()
            }
        }
    }
}

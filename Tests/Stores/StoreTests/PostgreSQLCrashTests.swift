import Foundation
import PostgreSQLStore

@Suite("PostgreSQL: a crash of the server", .hangLimit)
struct PostgreSQLCrashTests {
    /// Each writer counts up in a row of its own and writes a row for each number, in one
    /// transaction whose conditions hold only once.
    @Test func `kill -9 of the server loses and repeats no acknowledged write`() throws {
        let server = try PostgreSQLServer()
        let url = server.url(table: "t")
        try PostgreSQL.store(at: url).migrate()
        let isOver = Flag()
        let counts = Shared<(Int, Int)>()
        try during {
            for _ in 0..<3 {
                usleep(UInt32.random(in: 200_000...500_000))
                server.kill()
                usleep(100_000)
                try server.restart()
            }
            usleep(200_000)
            isOver.set()
        } do: {
            _ = try onThreads(6) { index in
                // Half of them share connections, like the threads of one process.
                let store = try PostgreSQL.store(at: url, connectionsMax: 2)
                counts.add((index, try Self.count("w\(index)", store, until: isOver)))
            }
        }
        let store = try PostgreSQL.store(at: url)
        for (index, count) in counts.all {
            #expect(count > 0)
            let last = try store.get(ItemKey("w\(index)", "last"))
            expectEqual(last?.attributes["n"], .integer(Int64(count)))
            let rows = try store.sorts("w\(index)", prefix: "row")
            expectEqual(rows.count, count)
        }
        try expectEqual(server.run("SELECT count(*) FROM t WHERE expires < 0"), "0\n")
    }

    /// Returns the last number that was acknowledged.
    private static func count(
        _ partition: String, _ store: PostgreSQLStore, until isOver: Flag
    ) throws -> Int {
        let last = ItemKey(partition, "last")
        var n = 0
        while !isOver.isSet {
            let before: [Condition] = n == 0 ? [.absent] : [.equals("n", .integer(Int64(n)))]
            do throws(StoreFailure) {
                try store.write([
                    .put(Item(last, ["n": .integer(Int64(n + 1))]), when: before),
                    .put(Item(ItemKey(partition, "row\(n + 1)"), [:]), when: [.absent]),
                ])
                n += 1
            } catch .unavailable {
                // The outcome is unknown: the transaction was made completely or not at all.
                guard let found = Self.number(of: last, store) else { continue }
                try #require(found == n || found == n + 1, "\(partition): \(found) after \(n)")
                n = found
            }
        }
        return n
    }

    /// nil while the server is away.
    private static func number(of key: ItemKey, _ store: PostgreSQLStore) -> Int? {
        while true {
            do throws(StoreFailure) {
                guard case .integer(let n) = try store.get(key)?.attributes["n"] else { return 0 }
                return Int(n)
            } catch {
                guard case .unavailable = error else { return nil }
            }
        }
    }
}

private final class Flag: @unchecked Sendable {
    // Unchecked Sendable: only accessed while `lock` is locked.
    private let lock = NSLock()
    private var value = false

    var isSet: Bool { lock.withLock { value } }

    func set() { lock.withLock { value = true } }
}

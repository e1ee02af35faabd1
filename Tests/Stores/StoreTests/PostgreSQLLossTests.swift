import PostgreSQL
import PostgreSQLStore

@Suite("PostgreSQL: lost answers and connections", .hangLimit)
struct PostgreSQLLossTests {
    private let key = ItemKey("p", "s")

    @Test func `a write with a lost answer is made only once`() throws {
        try withProxy { proxy, store, server, table in
            try store.put("p", "other")
            for (losses, n) in [(1, 1), (2, 2)] as [(Int, Int64)] {
                proxy.loseAnswers(losses)
                let before: [Condition] = n == 1 ? [.absent] : [.equals("n", .integer(n - 1))]
                // A repetition would fail its own condition.
                try store.write([
                    .put(Item(key, ["n": .integer(n)]), when: before),
                    .delete(ItemKey("p", "other"), when: n == 1 ? [.present] : []),
                ])
                try expectEqual(store.get(key)?.attributes, ["n": .integer(n)])
            }
            try expectEqual(server.run("SELECT count(*) FROM \(table) WHERE expires < 0"), "0\n")
        }
    }

    @Test func `a write whose answers are all lost fails as unavailable`() throws {
        try withProxy { proxy, store, _, _ in
            try store.put("p", "other")
            proxy.loseAnswers(100)
            expectFailure(isRefused: false) {
                try store.write([.put(Item(key, [:]), when: [.absent])])
            }
            proxy.loseAnswers(0)
            #expect(try store.get(key) != nil)
        }
    }

    @Test func `a failed condition with a lost response is still reported as failed`() throws {
        try withProxy { proxy, store, _, _ in
            try store.put("p", "s")
            proxy.loseAnswers(1)
            #expect(throws: StoreFailure.conditionFailed) {
                try store.write([.put(Item(key, ["n": .integer(1)]), when: [.absent])])
            }
            try expectEqual(store.get(key)?.attributes, [:])
        }
    }

    @Test func `a read with a lost response is repeated, but an addition is not`() throws {
        try withProxy { proxy, store, _, _ in
            try store.put("p", "s")
            proxy.loseAnswers(1)
            #expect(try store.get(key) != nil)
            proxy.loseAnswers(1)
            let counter = ItemKey("p", "count")
            let end = Instant(milliseconds: .max)
            expectFailure(isRefused: false) {
                _ = try store.increment(counter, by: 1, expiresAt: end)
            }
            try expectEqual(store.increment(counter, by: 1, expiresAt: end), 2)
        }
    }

    private func withProxy(
        _ body: (SocketProxy, PostgreSQLStore, PostgreSQLServer, _ table: String) throws -> Void
    ) throws {
        let (server, table, _) = try PostgreSQL.migrated()
        let folder = try TemporaryFolder()
        let proxy = try SocketProxy(to: server.folder, in: folder.path)
        defer { proxy.stop() }
        let address = server.url(table: table, through: folder.path)
        try body(proxy, try PostgreSQL.store(at: address), server, table)
    }
}

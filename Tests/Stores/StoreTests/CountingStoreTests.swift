import AuthTestSupport
import TestSupport

@Suite("CountingStore")
struct CountingStoreTests {
    private static let end = Instant(seconds: 1000)
    private let memory = MemoryStore(clock: .fixed(at: Instant(seconds: 1)))

    private static func key(_ sort: String) -> ItemKey { ItemKey("p", sort) }

    /// An item with this size, as DynamoDB computes it.
    private static func item(_ sort: String, bytes: Int) -> Item {
        var item = Item(key(sort), ["v": .bytes([])])
        let rest = bytes - StoreLimits.byteCount(of: item)
        item.attributes["v"] = .bytes([UInt8](repeating: 0, count: rest))
        return item
    }

    private func cost(of body: (CountingStore) throws -> Void) rethrows -> StoreCost {
        let store = CountingStore(memory)
        try body(store)
        return store.cost
    }

    @Test func `a read is one round trip, a unit per 4 KB of each item and one per counter`()
        throws
    {
        try memory.write([
            .put(Self.item("exact", bytes: 4096), when: []),
            .put(Self.item("more", bytes: 4097), when: []),
        ])
        let cost = try cost { store in
            _ = try store.read(
                ["exact", "more", "absent", "more"].map(Self.key),
                counting: [
                    CounterIncrement(Self.key("c"), expiresAt: Self.end),
                    CounterIncrement(Self.key("d"), expiresAt: Self.end),
                ])
        }
        expectEqual(
            cost, StoreCost(roundTrips: 1, itemsRead: 4, counters: 2, readUnits: 4, writeUnits: 2))
    }

    @Test func `a counter on a large item costs its size`() throws {
        try memory.write([.put(Self.item("c", bytes: 2048), when: [])])
        let cost = try cost { _ = try $0.increment(Self.key("c"), by: 1, expiresAt: Self.end) }
        expectEqual(cost, StoreCost(roundTrips: 1, counters: 1, writeUnits: 3))
    }

    @Test func `an empty call costs nothing`() throws {
        let cost = try cost { store in
            _ = try store.get([])
            try store.write([])
        }
        expectEqual(cost, StoreCost())
    }

    @Test func `a page costs the total size of its items`() throws {
        for index in 0..<4 {
            try memory.write([.put(Self.item("s\(index)", bytes: 1025), when: [])])
        }
        try expectEqual(
            cost { _ = try $0.query(PartitionQuery("p", limit: 3)) },
            StoreCost(roundTrips: 1, itemsRead: 3, readUnits: 1))
        try expectEqual(
            cost { _ = try $0.query(PartitionQuery("p", limit: 10)) },
            StoreCost(roundTrips: 1, itemsRead: 4, readUnits: 2))
        try expectEqual(
            cost { _ = try $0.query(PartitionQuery("q", limit: 10)) },
            StoreCost(roundTrips: 1, readUnits: 1))
    }

    @Test func `a page listed with a read needs no further round trip`() throws {
        try memory.write([.put(Self.item("s", bytes: 5000), when: [])])
        let cost = try cost { store in
            _ = try store.read(
                [Self.key("absent")],
                counting: [CounterIncrement(ItemKey("q", "c"), expiresAt: Self.end)],
                listing: PartitionQuery("p", limit: 3))
        }
        expectEqual(
            cost, StoreCost(roundTrips: 1, itemsRead: 2, counters: 1, readUnits: 3, writeUnits: 1))
    }

    @Test func `a single write costs the larger of the sizes before and after`() throws {
        let small = Self.item("s", bytes: 1024)
        let large = Self.item("s", bytes: 1025)
        for (item, units) in [(small, 1), (large, 2), (small, 2), (small, 1)] {
            try expectEqual(
                cost { try $0.write([.put(item, when: [])]) },
                StoreCost(roundTrips: 1, itemsWritten: 1, syncs: 1, writeUnits: units))
        }
        try expectEqual(
            cost { try $0.write([.check(Self.key("s"), when: [.present])]) },
            StoreCost(roundTrips: 1, itemsRead: 1, syncs: 1, readUnits: 1))
        try expectEqual(
            cost { try $0.write([.delete(Self.key("s"), when: [.present])]) },
            StoreCost(roundTrips: 1, itemsWritten: 1, syncs: 1, writeUnits: 1))
    }

    @Test func `in a transaction every item costs double`() throws {
        let writes: [Write] = [
            .put(Self.item("s", bytes: 1025), when: [.absent]),
            .delete(Self.key("t"), when: []), .check(Self.key("u"), when: [.absent]),
        ]
        try expectEqual(
            cost { try $0.write(writes) },
            StoreCost(roundTrips: 1, itemsRead: 1, itemsWritten: 2, syncs: 1, writeUnits: 8))
    }

    @Test func `a failed write costs the same, and the counts can be reset`() throws {
        let store = CountingStore(memory)
        #expect(throws: StoreFailure.conditionFailed) {
            try store.write([.put(Self.item("s", bytes: 200), when: [.present])])
        }
        expectEqual(store.cost.writeUnits, 1)
        store.forget()
        expectEqual(store.cost, StoreCost())
    }
}

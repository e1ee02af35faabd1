@Suite("Store contract: expiry")
struct StoreContractExpiryTests {
    private static let key = ItemKey("p", "s")

    /// A store with one item that expires in a minute.
    private func withExpiring(
        _ backend: Backend, _ body: (any KeyValueStore, MovableClock, Item) throws -> Void
    ) throws {
        try backend.withStore { store, clock throws in
            let item = Item(
                Self.key, ["v": .text("old"), "count": .integer(41)],
                expiresAt: clock.now + .minutes(1))
            try store.write([.put(item, when: [])])
            try body(store, clock, item)
        }
    }

    @Test(arguments: Backend.allCases, [(59_999, true), (60_000, false), (60_001, false)])
    func `an item exists until the millisecond of its expiry, exclusively`(
        backend: Backend, row: (elapsed: Int64, exists: Bool)
    ) throws {
        try withExpiring(backend) { store, clock, item throws in
            clock.advance(.milliseconds(row.elapsed))
            try expectEqual(store.get(Self.key), row.exists ? item : nil)
            try expectEqual(
                store.get([Self.key, ItemKey("p", "x")]), [row.exists ? item : nil, nil])
            try expectEqual(store.sorts("p").count, row.exists ? 1 : 0)
        }
    }

    static let conditions: [(name: String, condition: Condition, live: Bool, expired: Bool)] = [
        ("absent", .absent, false, true), ("present", .present, true, false),
        ("equals", .equals("v", .text("old")), true, false), ("lacks", .lacks("w"), true, false),
    ]

    @Test(arguments: Backend.allCases, conditions)
    func `a condition treats an expired item as absent`(
        backend: Backend,
        row: (name: String, condition: Condition, live: Bool, expired: Bool)
    ) throws {
        let writes: [Write] = [
            .check(Self.key, when: [row.condition]),
            .put(Item(Self.key, ["v": .text("new")]), when: [row.condition]),
            .delete(Self.key, when: [row.condition]),
        ]
        for write in writes {
            for (elapsed, holds) in [(59_999, row.live), (60_000, row.expired)] {
                try withExpiring(backend) { store, clock, _ throws in
                    clock.advance(.milliseconds(Int64(elapsed)))
                    if holds {
                        try store.write([write])
                    } else {
                        #expect(throws: StoreFailure.conditionFailed) { try store.write([write]) }
                    }
                }
            }
        }
    }

    @Test(arguments: Backend.allCases)
    func `a new item replaces an expired one completely`(backend: Backend) throws {
        try withExpiring(backend) { store, clock, _ throws in
            clock.advance(.hours(1))
            let new = Item(Self.key, ["w": .flag(true)])
            try store.write([.put(new, when: [.absent])])
            try expectEqual(store.get(Self.key), new)
        }
    }

    @Test(arguments: Backend.allCases)
    func `an increment of an expired item starts at zero and replaces it completely`(
        backend: Backend
    )
        throws
    {
        try withExpiring(backend) { store, clock, _ throws in
            clock.advance(.milliseconds(59_999))
            let end = clock.now + .hours(1)
            try expectEqual(store.increment(Self.key, by: 1, expiresAt: end), 42)
            clock.advance(.milliseconds(1))
            try expectEqual(store.increment(Self.key, by: 5, expiresAt: end), 5)
            try expectEqual(
                store.get(Self.key), Item(Self.key, ["count": .integer(5)], expiresAt: end))
        }
    }

    @Test(arguments: Backend.allCases)
    func `an item put with an expiry in the past is absent at once`(backend: Backend) throws {
        try backend.withStore { store, clock throws in
            for expiry in [clock.now, clock.now - .days(4000), Instant(milliseconds: -1)] {
                try store.write([.put(Item(Self.key, [:], expiresAt: expiry), when: [.absent])])
                try expectEqual(store.get(Self.key), nil)
            }
        }
    }

    @Test(arguments: Backend.allCases, [1, 2, 7, 100])
    func `pages skip many expired items`(backend: Backend, limit: Int) throws {
        try backend.withStore { store, clock throws in
            var writes: [Write] = []
            for index in 100..<190 {
                let expires = index % 30 == 5 ? nil : clock.now + .minutes(1)
                writes.append(
                    .put(Item(ItemKey("p", "s\(index)"), [:], expiresAt: expires), when: []))
            }
            try store.write(writes)
            clock.advance(.minutes(1))
            let items = try store.all(PartitionQuery("p", prefix: "s1", limit: limit))
            expectEqual(items.map(\.key.sort), ["s125", "s155", "s185"])
        }
    }
}

@Suite("Store contract: counters")
struct StoreContractCounterTests {
    private static let key = ItemKey("rate", "sign-in")

    @Test(arguments: Backend.allCases)
    func `an increment creates, adds, subtracts and keeps the first expiry`(backend: Backend) throws
    {
        try backend.withStore { store, clock throws in
            let end = clock.now + .minutes(1)
            try expectEqual(store.increment(Self.key, by: 2, expiresAt: end), 2)
            try expectEqual(store.increment(Self.key, by: 40, expiresAt: end + .days(1)), 42)
            try expectEqual(store.increment(Self.key, by: -43, expiresAt: end + .days(1)), -1)
            try expectEqual(store.increment(Self.key, by: 0, expiresAt: end), -1)
            try expectEqual(
                store.get(Self.key), Item(Self.key, ["count": .integer(-1)], expiresAt: end))
        }
    }

    @Test(arguments: Backend.allCases)
    func `an increment keeps the other attributes of an item`(backend: Backend) throws {
        try backend.withStore { store, clock throws in
            let end = clock.now + .minutes(1)
            let item = Item(Self.key, ["a": .text("b")], expiresAt: end)
            try store.write([.put(item, when: [])])
            try expectEqual(store.increment(Self.key, by: 3, expiresAt: end + .days(1)), 3)
            var after = item
            after.attributes["count"] = .integer(3)
            try expectEqual(store.get(Self.key), after)
        }
    }

    @Test(arguments: Backend.allCases)
    func `an increment gives no expiry to an item without one`(backend: Backend) throws {
        try backend.withStore { store, clock throws in
            try store.write([.put(Item(Self.key, ["count": .integer(9)]), when: [])])
            let end = clock.now + .minutes(1)
            try expectEqual(store.increment(Self.key, by: 1, expiresAt: end), 10)
            try expectEqual(store.get(Self.key), Item(Self.key, ["count": .integer(10)]))
        }
    }

    @Test(arguments: Backend.allCases)
    func `a counter can reach both ends of its range but not exceed it`(backend: Backend) throws {
        try backend.withStore { store, clock throws in
            let end = clock.now + .minutes(1)
            let (high, low) = (ItemKey("p", "high"), ItemKey("p", "low"))
            try expectEqual(store.increment(high, by: .max, expiresAt: end), .max)
            try expectEqual(store.increment(low, by: .min, expiresAt: end), .min)
            #expect(throws: StoreFailure.counterOverflow) {
                try store.increment(high, by: 1, expiresAt: end)
            }
            #expect(throws: StoreFailure.counterOverflow) {
                try store.increment(low, by: .min, expiresAt: end)
            }
            try expectEqual(store.increment(high, by: .min, expiresAt: end), -1)
            try expectEqual(store.increment(low, by: .max, expiresAt: end), -1)
        }
    }

    @Test(arguments: Backend.allCases, [Attribute.text("1"), .bytes([1]), .flag(true), .text("")])
    func `a non-integer attribute is not incremented`(backend: Backend, value: Attribute) throws {
        try backend.withStore { store, clock throws in
            for expiry in [nil, clock.now + .minutes(1)] {
                let item = Item(Self.key, ["count": value], expiresAt: expiry)
                try store.write([.put(item, when: [])])
                #expect(throws: StoreFailure.notACounter) {
                    try store.increment(Self.key, by: 1, expiresAt: clock.now + .minutes(1))
                }
                try expectEqual(store.get(Self.key), item)
            }
        }
    }

    @Test(arguments: Backend.allCases)
    func `a count can be used in a condition`(backend: Backend) throws {
        try backend.withStore { store, clock throws in
            _ = try store.increment(Self.key, by: 3, expiresAt: clock.now + .minutes(1))
            #expect(throws: StoreFailure.conditionFailed) {
                try store.write([.delete(Self.key, when: [.equals("count", .integer(2))])])
            }
            try store.write([.delete(Self.key, when: [.equals("count", .integer(3))])])
        }
    }
}

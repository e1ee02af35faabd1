@Suite("Store contract: counting and reading in one call")
struct StoreContractReadTests {
    private static func key(_ sort: String) -> ItemKey { ItemKey("p", sort) }

    @Test(arguments: Backend.allCases)
    func `sums and items are in the requested order`(backend: Backend) throws {
        try backend.withStore { store, clock throws in
            let end = clock.now + .minutes(1)
            try store.put("p", "a", ["v": .text("a")])
            try store.put("p", "b", ["v": .text("b")])
            _ = try store.increment(Self.key("y"), by: 40, expiresAt: end)
            for round in 1...2 as ClosedRange<Int64> {
                let read = try store.read(
                    ["b", "none", "a", "b"].map(Self.key),
                    counting: [
                        CounterIncrement(Self.key("x"), expiresAt: end),
                        CounterIncrement(Self.key("y"), by: 2, expiresAt: end),
                        CounterIncrement(Self.key("z"), by: -3, expiresAt: end),
                    ])
                expectEqual(read.sums, [round, 40 + 2 * round, -3 * round])
                let values = read.items.map { $0?.attributes["v"] }
                expectEqual(values, [.text("b"), nil, .text("a"), .text("b")])
            }
            let counters = try store.get(["x", "y", "z"].map(Self.key))
            expectEqual(counters.map { $0?.attributes["count"] }, [2, 44, -6].map { .integer($0) })
            #expect(counters.allSatisfy { $0?.expiresAt == end })
        }
    }

    @Test(arguments: Backend.allCases)
    func `a call may have only counters or only keys`(backend: Backend) throws {
        try backend.withStore { store, clock throws in
            let counter = CounterIncrement(Self.key("c"), expiresAt: clock.now + .minutes(1))
            try store.put("p", "a")
            try expectEqual(store.read([], counting: [counter]), CountedRead(items: [], sums: [1]))
            try expectEqual(
                store.read([Self.key("a")], counting: []),
                CountedRead(items: [Item(Self.key("a"), [:])], sums: []))
            try expectEqual(store.read([], counting: []), CountedRead(items: [], sums: []))
            try expectEqual(store.increment(Self.key("c"), by: 0, expiresAt: clock.now), 1)
        }
    }

    @Test(arguments: Backend.allCases)
    func `an expired counter restarts, the others continue`(backend: Backend) throws {
        try backend.withStore { store, clock throws in
            let ends = [1, 3, 1].map { clock.now + .minutes($0) }
            let counters = zip(["x", "y", "z"], ends).map {
                CounterIncrement(Self.key($0), by: 5, expiresAt: $1)
            }
            try expectEqual(store.read([], counting: counters).sums, [5, 5, 5])
            try store.write([
                .put(Item(Self.key("z"), ["count": .text("old")], expiresAt: ends[0]), when: []),
                .put(Item(Self.key("a"), [:], expiresAt: ends[0]), when: []),
            ])
            clock.advance(.minutes(1))
            let later = clock.now + .minutes(1)
            let read = try store.read(
                [Self.key("a")],
                counting: counters.map { CounterIncrement($0.key, by: 2, expiresAt: later) })
            expectEqual(read, CountedRead(items: [nil], sums: [2, 7, 2]))
            let items = try store.get(counters.map(\.key))
            expectEqual(items.map { $0?.expiresAt }, [later, ends[1], later])
            expectEqual(items[2]?.attributes, ["count": .integer(2)])
        }
    }

    @Test(arguments: Backend.allCases)
    func `an invalid counter fails the call`(backend: Backend) throws {
        try backend.withStore { store, clock throws in
            let end = clock.now + .minutes(1)
            try store.put("p", "x", ["count": .text("1")])
            _ = try store.increment(Self.key("y"), by: .max, expiresAt: end)
            for (sort, failure) in [("x", StoreFailure.notACounter), ("y", .counterOverflow)] {
                #expect(throws: failure) {
                    try store.read(
                        [Self.key("a")],
                        counting: [
                            CounterIncrement(Self.key("z"), expiresAt: end),
                            CounterIncrement(Self.key(sort), expiresAt: end),
                        ])
                }
            }
        }
    }

    @Test(arguments: Backend.allCases)
    func `a request over a limit is refused before anything is counted`(backend: Backend) throws {
        try backend.withStore { store, clock throws in
            let end = clock.now + .minutes(1)
            func counters(_ sorts: [String]) -> [CounterIncrement] {
                sorts.map { CounterIncrement(Self.key($0), expiresAt: end) }
            }
            let most = (0..<StoreLimits.countersPerReadMax).map { "m\($0)" }
            let refused: [([ItemKey], [CounterIncrement])] = [
                ([], counters(most + ["one more"])), ([], counters(["c", "d", "c"])),
                ([Self.key("a"), Self.key("c")], counters(["d", "c"])), ([], counters(["c", ""])),
                ([ItemKey("", "s")], counters(["c"])),
                ((0...StoreLimits.keysPerReadMax).map { Self.key("k\($0)") }, counters(["c"])),
            ]
            for (keys, counters) in refused {
                expectFailure(isRefused: true, "\(keys) \(counters)") {
                    _ = try store.read(keys, counting: counters)
                }
            }
            try expectEqual(store.sorts("p"), [])
            try expectEqual(
                store.read([], counting: counters(most)).sums,
                Array(repeating: 1, count: most.count))
        }
    }

    @Test(arguments: Backend.allCases)
    func `a listed page equals the page of a query`(backend: Backend) throws {
        try backend.withStore { store, clock throws in
            let end = clock.now + .minutes(1)
            for sort in ["a", "s1", "s2", "s3", "t"] { try store.put("p", sort) }
            try store.write([.put(Item(Self.key("s0"), [:], expiresAt: clock.now), when: [])])
            var query = PartitionQuery("p", prefix: "s", limit: 2)
            for expected in [["s1", "s2"], ["s3"]] {
                let read = try store.read(
                    [Self.key("a"), Self.key("none")],
                    counting: [CounterIncrement(ItemKey("q", "s9"), expiresAt: end)],
                    listing: query)
                expectEqual(read.items.map { $0?.key.sort }, ["a", nil])
                expectEqual(read.page?.items.map(\.key.sort), expected)
                try expectEqual(read.page, store.query(query))
                query.after = read.page?.next
            }
            expectEqual(query.after, nil)
            try expectEqual(store.increment(ItemKey("q", "s9"), by: 0, expiresAt: end), 2)
        }
    }

    @Test(arguments: Backend.allCases)
    func `a page may be listed without counters, keys, or both`(backend: Backend) throws {
        try backend.withStore { store, clock throws in
            try store.put("p", "s1")
            let query = PartitionQuery("p", prefix: "s", limit: 2)
            let page = Page(items: [Item(Self.key("s1"), [:])], next: nil)
            let counter = CounterIncrement(ItemKey("q", "c"), expiresAt: clock.now + .minutes(1))
            try expectEqual(
                store.read([], counting: [], listing: query),
                CountedRead(items: [], sums: [], page: page))
            try expectEqual(
                store.read([Self.key("s1"), Self.key("s2")], counting: [], listing: query),
                CountedRead(items: [page.items[0], nil], sums: [], page: page))
            try expectEqual(
                store.read([], counting: [counter], listing: query),
                CountedRead(items: [], sums: [1], page: page))
            try expectEqual(store.read([Self.key("s1")], counting: []).page, nil)
        }
    }

    @Test(arguments: Backend.allCases)
    func `a listing over a limit is refused before anything is counted`(backend: Backend) throws {
        try backend.withStore { store, clock throws in
            let counter = CounterIncrement(Self.key("s1"), expiresAt: clock.now + .minutes(1))
            let refused = [
                PartitionQuery("", limit: 1), PartitionQuery("x", limit: 0),
                PartitionQuery("x", limit: StoreLimits.itemsPerPageMax + 1),
                PartitionQuery("x", prefix: "s", limit: 1, after: "t"),
                // A counter must not be in the listed range.
                PartitionQuery("p", limit: 1), PartitionQuery("p", prefix: "s", limit: 1),
            ]
            for query in refused {
                expectFailure(isRefused: true, "\(query)") {
                    _ = try store.read([], counting: [counter], listing: query)
                }
            }
            try expectEqual(store.sorts("p"), [])
            let apart = [PartitionQuery("p", prefix: "t", limit: 1), PartitionQuery("q", limit: 1)]
            for query in apart {
                #expect(throws: Never.self) {
                    try store.read([], counting: [counter], listing: query)
                }
            }
        }
    }

    @Test(arguments: Backend.allCases)
    func `concurrent calls lose no addition and all sums are distinct`(backend: Backend) throws {
        try backend.withStore { store, clock throws in
            let end = clock.now + .hours(1)
            try store.put("p", "a")
            let reads = try onThreads(40) { index in
                // In both orders, which must not cause a deadlock.
                let keys = ["x", "y"].map(Self.key)
                let read = try store.read(
                    [Self.key("a"), Self.key("b")],
                    counting: (index % 2 == 0 ? keys : keys.reversed()).map {
                        CounterIncrement($0, expiresAt: end)
                    })
                return (index % 2 == 0 ? read.sums : read.sums.reversed(), read.items)
            }
            for column in 0..<2 { expectEqual(reads.map { $0.0[column] }.sorted(), Array(1...40)) }
            #expect(reads.allSatisfy { $0.1 == [Item(Self.key("a"), [:]), nil] })
        }
    }
}

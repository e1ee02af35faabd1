@Suite("Store contract: limits")
struct StoreContractLimitTests {
    struct Refused: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let call: @Sendable (any KeyValueStore) throws(StoreFailure) -> Void

        init(
            _ name: String,
            _ call: @escaping @Sendable (any KeyValueStore) throws(StoreFailure) -> Void
        ) {
            testDescription = name
            self.call = call
        }

        static func put(_ name: String, _ item: Item) -> Refused {
            Refused(name) { store throws(StoreFailure) in try store.write([.put(item, when: [])]) }
        }

        static func key(_ name: String, _ key: ItemKey) -> [Refused] {
            [
                put("put: \(name)", Item(key, [:])),
                Refused("get: \(name)") { store throws(StoreFailure) in _ = try store.get(key) },
                Refused("delete: \(name)") { store throws(StoreFailure) in
                    try store.write([.delete(key, when: [])])
                },
                Refused("check: \(name)") { store throws(StoreFailure) in
                    try store.write([.check(key, when: [.absent])])
                },
                Refused("increment: \(name)") { store throws(StoreFailure) in
                    _ = try store.increment(key, by: 1, expiresAt: Instant(seconds: 1))
                },
            ]
        }

        static func query(_ name: String, _ query: PartitionQuery) -> Refused {
            Refused("query: \(name)") { store throws(StoreFailure) in _ = try store.query(query) }
        }
    }

    static let keys =
        Refused.key("empty partition", ItemKey("", "s"))
        + Refused.key("empty sort key", ItemKey("p", ""))
        + Refused.key("partition of 2049 bytes", ItemKey(text(2049), "s"))
        + Refused.key("partition of 2050 bytes in 1025 letters", ItemKey(umlauts(1025), "s"))
        + Refused.key("sort key of 1025 bytes", ItemKey("p", text(1025)))
        + Refused.key("sort key of 1026 bytes in 513 letters", ItemKey("p", umlauts(513)))

    static let queries = [
        Refused.query("no item", PartitionQuery("p", limit: 0)),
        Refused.query("fewer", PartitionQuery("p", limit: -1)),
        Refused.query("1001 items", PartitionQuery("p", limit: 1001)),
        Refused.query("empty partition", PartitionQuery("", limit: 1)),
        Refused.query("long partition", PartitionQuery(text(2049), limit: 1)),
        Refused.query("long prefix", PartitionQuery("p", prefix: text(1025), limit: 1)),
        Refused.query("after nothing", PartitionQuery("p", limit: 1, after: "")),
        Refused.query(
            "after another prefix", PartitionQuery("p", prefix: "a", limit: 1, after: "b")),
        Refused.query(
            "after a lookalike of the prefix",
            PartitionQuery("p", prefix: "\u{E9}", limit: 1, after: "e\u{301}")),
    ]

    static let names = [
        "", "1a", "_a", "a_b", "a-b", "a.b", "a b", "#a", "é", "aé", "\u{212A}", "a\u{0}",
        "a\u{301}", text(65),
    ].flatMap { name in
        let key = ItemKey("p", "s")
        return [
            Refused.put("put: attribute '\(name)'", Item(key, [name: .flag(true)])),
            Refused("equals: attribute '\(name)'") { store throws(StoreFailure) in
                try store.write([.check(key, when: [.equals(name, .text("v"))])])
            },
            Refused("lacks: attribute '\(name)'") { store throws(StoreFailure) in
                try store.write([.check(key, when: [.lacks(name)])])
            },
        ]
    }

    static let sizes = [
        Refused("read of 101 keys") { store throws(StoreFailure) in
            _ = try store.get((0...100).map { ItemKey("p", "s\($0)") })
        },
        Refused("101 writes") { store throws(StoreFailure) in
            try store.write((0...100).map { .put(Item(ItemKey("p", "s\($0)"), [:]), when: []) })
        },
        Refused("the same key twice") { store throws(StoreFailure) in
            let key = ItemKey("p", "s")
            try store.write([.put(Item(key, [:]), when: []), .check(key, when: [.absent])])
        },
        Refused("a check without a condition") { store throws(StoreFailure) in
            try store.write([.check(ItemKey("p", "s"), when: [])])
        },
        Refused("17 conditions") { store throws(StoreFailure) in
            let conditions = (0...16).map { Condition.lacks("a\($0)") }
            try store.write([.put(Item(ItemKey("p", "s"), [:]), when: conditions)])
        },
        Refused("a transaction of more than 4 MiB") { store throws(StoreFailure) in
            let value = Attribute.bytes([UInt8](repeating: 1, count: 399_000))
            try store.write(
                (0..<11).map { .put(Item(ItemKey("p", "s\($0)"), ["v": value]), when: []) })
        },
        Refused.put("text of 400 KB", Item(ItemKey("p", "s"), ["v": .text(text(400_000))])),
        Refused.put("letters of 400 KB", Item(ItemKey("p", "s"), ["v": .text(umlauts(200_000))])),
        Refused.put(
            "bytes of 400 KB in two attributes",
            Item(
                ItemKey("p", "s"),
                [
                    "a": .bytes([UInt8](repeating: 1, count: 200_000)),
                    "b": .bytes([UInt8](repeating: 1, count: 200_000)),
                ])),
        Refused.put(
            "101 attributes",
            Item(
                ItemKey("p", "s"),
                (0...100).reduce(into: Attributes()) { $0["a\($1)"] = .flag(true) })),
    ]

    @Test(arguments: Backend.allCases)
    func `a request over a limit is refused and changes nothing`(backend: Backend) throws {
        try backend.withStore { store, _ throws in
            for refused in Self.keys + Self.queries + Self.names + Self.sizes {
                expectFailure(isRefused: true, "\(refused.testDescription)") {
                    try refused.call(store)
                }
            }
            try expectEqual(store.sorts("p"), [])
        }
    }

    @Test(arguments: Backend.allCases)
    func `the longest keys and names are accepted`(backend: Backend) throws {
        try backend.withStore { store, clock throws in
            let key = ItemKey(text(2048), text(1024))
            let item = Item(key, [text(64): .flag(true)], expiresAt: clock.now + .hours(1))
            try store.write([.put(item, when: [.absent])])
            try expectEqual(store.get(key), item)
            try expectEqual(store.query(PartitionQuery(text(2048), limit: 1000)).items, [item])
            let query = PartitionQuery(text(2048), prefix: text(1024), limit: 1)
            try expectEqual(store.query(query).items, [item])
        }
    }

    @Test(arguments: Backend.allCases)
    func `items of exactly the largest size are accepted and can be read in any number`(
        backend: Backend
    )
        throws
    {
        try backend.withStore { store, clock throws in
            var items: [Item] = []
            for index in 0..<6 {
                var item = Item(
                    ItemKey("p", "s\(index)"), ["v": .text("")], expiresAt: clock.now + .hours(1))
                // moto (5.2.5) counts the base64 size of binary values (`DynamoType.size`), so use
                // fewer there.
                let isText = index % 2 == 0 || backend == .moto
                let free = StoreLimits.itemBytesMax - StoreLimits.byteCount(of: item)
                item.attributes["v"] =
                    isText
                    ? .text(text(free)) : .bytes([UInt8](repeating: 0xFF, count: free))
                try store.write([.put(item, when: [.absent])])
                items.append(item)
            }
            try expectEqual(store.get(items.map(\.key)), items)
            try expectEqual(store.all(PartitionQuery("p", limit: 1000)), items)
        }
    }

    @Test(arguments: Backend.allCases)
    func `a transaction of the maximum size is accepted`(backend: Backend) throws {
        try backend.withStore { store, _ throws in
            let value = Attribute.bytes([UInt8](repeating: 7, count: 38 << 10))
            let conditions = (0..<16).map { Condition.lacks("a\($0)") }
            let writes: [Write] = (0..<100).map {
                .put(Item(ItemKey("p", "s\($0)"), ["v": value]), when: [.absent])
            }
            try store.write(writes)
            try store.write(writes.map { .put(Item($0.key, [:]), when: conditions) })
            try expectEqual(store.sorts("p").count, 100)
        }
    }
}

private func text(_ count: Int) -> String { String(repeating: "x", count: count) }
private func umlauts(_ count: Int) -> String { String(repeating: "ü", count: count) }

@Suite("Store contract: items")
struct StoreContractItemTests {
    @Test(arguments: Backend.allCases)
    func `an item that was never put is absent`(backend: Backend) throws {
        try backend.withStore { store, _ throws in
            try expectEqual(store.get(ItemKey("p", "s")), nil)
            try expectEqual(store.get([ItemKey("p", "s"), ItemKey("q", "s")]), [nil, nil])
            try expectEqual(store.get([]), [])
        }
    }

    static let attributes: [(String, Attribute)] = [
        ("text", .text("hello")), ("empty text", .text("")), ("text with NUL", .text("a\u{0}b")),
        ("text of JSON's special characters", .text("\"\\/\u{8}\u{c}\n\r\t\u{1f}\u{7f}")),
        ("text beyond the basic plane", .text("🔑 ключ 鍵")), ("text of a number", .text("007")),
        ("bytes", .bytes([0, 1, 0x7F, 0x80, 0xFF])), ("empty bytes", .bytes([])),
        ("one byte", .bytes([0])), ("zero", .integer(0)), ("minus one", .integer(-1)),
        ("the largest integer", .integer(.max)), ("the smallest integer", .integer(.min)),
        ("the largest integer that a double holds, and one", .integer((1 << 53) + 1)),
        ("true", .flag(true)), ("false", .flag(false)),
    ]

    @Test(arguments: Backend.allCases, attributes)
    func `an attribute is returned unchanged`(
        backend: Backend, attribute: (name: String, value: Attribute)
    ) throws {
        try backend.withStore { store, _ throws in
            let item = Item(ItemKey("p", "s"), ["value": attribute.value])
            try store.write([.put(item, when: [])])
            try expectEqual(store.get(item.key), item)
            try expectEqual(store.query(PartitionQuery("p", limit: 5)).items, [item])
        }
    }

    @Test(arguments: Backend.allCases)
    func `items with many attributes, with none, and with an expiry are returned unchanged`(
        backend: Backend
    )
        throws
    {
        try backend.withStore { store, clock throws in
            var many: Attributes = [:]
            for index in 0..<StoreLimits.attributesPerItemMax {
                many["a\(index)"] = .integer(Int64(index))
            }
            let items = [
                Item(ItemKey("p", "many"), many), Item(ItemKey("p", "none"), [:]),
                Item(
                    ItemKey("p", "expiring"), ["a": .flag(true)],
                    expiresAt: clock.now + .milliseconds(1)),
                Item(ItemKey("p", "far"), [:], expiresAt: Instant(milliseconds: .max)),
            ]
            try store.write(items.map { .put($0, when: []) })
            try expectEqual(store.get(items.map(\.key)), items)
        }
    }

    // Names that are reserved words in DynamoDB, or its own key attributes.
    @Test(
        arguments: Backend.allCases,
        ["pk", "sk", "ttl", "name", "status", "count", "expiresAtMs", "expires", "TTL", "a1B2"])
    func `an attribute may have any name of letters and digits`(backend: Backend, name: String)
        throws
    {
        try backend.withStore { store, _ throws in
            let item = Item(ItemKey("p", "s"), [name: .text("v")])
            try store.write([.put(item, when: [])])
            try expectEqual(store.get(item.key), item)
            try store.write([.put(item, when: [.equals(name, .text("v")), .lacks(name + "x")])])
            #expect(throws: StoreFailure.conditionFailed) {
                try store.write([.put(item, when: [.lacks(name)])])
            }
        }
    }

    @Test(arguments: Backend.allCases)
    func `attribute names differ by case`(backend: Backend) throws {
        try backend.withStore { store, _ throws in
            let item = Item(ItemKey("p", "s"), ["name": .text("a"), "Name": .text("b")])
            try store.write([.put(item, when: [])])
            try expectEqual(store.get(item.key), item)
        }
    }

    @Test(arguments: Backend.allCases)
    func `a put replaces the whole item and its expiry`(backend: Backend) throws {
        try backend.withStore { store, clock throws in
            let key = ItemKey("p", "s")
            let old = Item(
                key, ["a": .text("1"), "b": .text("2")], expiresAt: clock.now + .hours(1))
            try store.write([.put(old, when: [])])
            try store.write([.put(Item(key, ["b": .text("3")]), when: [])])
            try expectEqual(store.get(key), Item(key, ["b": .text("3")]))
        }
    }

    @Test(arguments: Backend.allCases)
    func `a deleted item is absent, and deleting it again succeeds`(backend: Backend) throws {
        try backend.withStore { store, _ throws in
            let key = ItemKey("p", "s")
            try store.put("p", "s")
            try store.put("p", "t")
            try store.write([.delete(key, when: [])])
            try expectEqual(store.get(key), nil)
            try expectEqual(store.sorts("p"), utf8("t"))
            try store.write([.delete(key, when: [])])
        }
    }

    @Test(arguments: Backend.allCases)
    func `items are returned in the requested order, including absent and repeated ones`(
        backend: Backend
    ) throws {
        try backend.withStore { store, _ throws in
            for sort in ["a", "b", "c"] { try store.put("p", sort, ["v": .text(sort)]) }
            let asked = ["c", "x", "a", "c", "b", "x"].map { ItemKey("p", $0) }
            let names = try store.get(asked).map { $0?.attributes["v"] }
            expectEqual(names, [.text("c"), nil, .text("a"), .text("c"), .text("b"), nil])
        }
    }

    @Test(arguments: Backend.allCases)
    func `a hundred keys are read at once`(backend: Backend) throws {
        try backend.withStore { store, _ throws in
            let items = (0..<100).map { Item(ItemKey("p\($0)", "s"), ["n": .integer($0)]) }
            try store.write(items.map { .put($0, when: []) })
            try expectEqual(store.get(items.reversed().map(\.key)), items.reversed())
        }
    }

    // Canonically equivalent strings: they must stay different keys and values.
    static let lookalikes = [
        ("caf\u{E9}", "cafe\u{301}"), ("K", "\u{212A}"),
        ("\u{1E9B}\u{323}", "\u{1E9B}\u{323}\u{0}"),
        ("\u{AC00}", "\u{1100}\u{1161}"), ("a", "A"), (" ", "\u{A0}"),
    ]

    @Test(arguments: Backend.allCases, lookalikes)
    func `canonically equivalent keys are different keys`(backend: Backend, pair: (String, String))
        throws
    {
        try backend.withStore { store, _ throws in
            for (index, text) in [pair.0, pair.1].enumerated() {
                try store.put(text, "s", ["v": .integer(Int64(index))])
                try store.put("p", text, ["v": .integer(Int64(index))])
            }
            let keys = [
                ItemKey(pair.0, "s"), ItemKey(pair.1, "s"), ItemKey("p", pair.0),
                ItemKey("p", pair.1),
            ]
            let values = try store.get(keys).map { $0?.attributes["v"] }
            expectEqual(values, [.integer(0), .integer(1), .integer(0), .integer(1)])
            try expectEqual(store.sorts("p").count, 2)
            try store.write([.delete(keys[0], when: []), .delete(keys[2], when: [])])
            try expectEqual(store.get(keys).map { $0 != nil }, [false, true, false, true])
        }
    }

    @Test(arguments: Backend.allCases, lookalikes)
    func `a condition does not hold for a canonically equivalent value`(
        backend: Backend, pair: (String, String)
    ) throws {
        try backend.withStore { store, _ throws in
            try store.put("p", "s", ["v": .text(pair.0)])
            let key = ItemKey("p", "s")
            #expect(throws: StoreFailure.conditionFailed) {
                try store.write([.check(key, when: [.equals("v", .text(pair.1))])])
            }
            try store.write([.check(key, when: [.equals("v", .text(pair.0))])])
        }
    }

    @Test(arguments: Backend.allCases)
    func `partition and sort key are separate`(backend: Backend) throws {
        try backend.withStore { store, _ throws in
            try store.put("ab", "c")
            try expectEqual(store.get(ItemKey("a", "bc")), nil)
            try expectEqual(store.sorts("a"), [])
        }
    }
}

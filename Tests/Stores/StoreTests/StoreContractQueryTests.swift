@Suite("Store contract: queries")
struct StoreContractQueryTests {
    @Test(arguments: Backend.allCases)
    func `a query only returns its own partition`(backend: Backend) throws {
        try backend.withStore { store, _ throws in
            for partition in ["users/1", "users/10", "users/", "users/1/"] {
                try store.put(partition, "s" + partition)
            }
            try expectEqual(store.sorts("users/1"), utf8("susers/1"))
            try expectEqual(store.sorts("users/2"), [])
        }
    }

    @Test(arguments: Backend.allCases)
    func `items are ordered by UTF-8 bytes`(backend: Backend) throws {
        try backend.withStore { store, _ throws in
            // UTF-16 order would put U+FFFD after U+1F511, a locale "b" before "B", numeric order 9
            // before 10.
            let sorts = [
                "\u{0}", " ", "#1", "10", "9", "A", "B", "a", "a\u{0}", "aa", "b", "e\u{301}", "z",
                "\u{E9}", "\u{FFFD}", "🔑",
            ]
            for sort in sorts.shuffled() { try store.put("p", sort) }
            try expectEqual(store.sorts("p"), sorts.map { Array($0.utf8) })
        }
    }

    static let prefixes: [(prefix: String, matching: [String])] = [
        ("", ["%", "%a", "*", "_a", "a", "a%b", "a'b", "aa", "ab", "b", "é", "é\u{301}", "🔑"]),
        ("a", ["a", "a%b", "a'b", "aa", "ab"]), ("aa", ["aa"]), ("aaa", []), ("%", ["%", "%a"]),
        ("a%", ["a%b"]), ("_", ["_a"]), ("*", ["*"]), ("a'", ["a'b"]), ("é", ["é", "é\u{301}"]),
        ("e", []), ("e\u{301}", []), ("🔑", ["🔑"]), ("A", []), ("\u{0}", []),
    ]

    @Test(arguments: Backend.allCases, prefixes)
    func `a prefix is compared as bytes, without special characters`(
        backend: Backend, row: (prefix: String, matching: [String])
    ) throws {
        try backend.withStore { store, _ throws in
            for sort in Self.prefixes[0].matching { try store.put("p", sort) }
            try expectEqual(
                store.sorts("p", prefix: row.prefix), row.matching.map { Array($0.utf8) })
        }
    }

    @Test(arguments: Backend.allCases, [1, 2, 3, 7, 24, 25, 26, 1000])
    func `pages are contiguous, without gaps or duplicates`(backend: Backend, limit: Int) throws {
        try backend.withStore { store, _ throws in
            let names = (10..<35).map { "s\($0)" }
            try store.write(names.map { .put(Item(ItemKey("p", $0), ["v": .text($0)]), when: []) })
            try store.put("p", "r")
            try store.put("p", "t")
            var query = PartitionQuery("p", prefix: "s", limit: limit)
            var seen: [String] = []
            repeat {
                let page = try store.query(query)
                #expect(page.items.count <= limit)
                seen += page.items.map(\.key.sort)
                query.after = page.next
            } while query.after != nil && seen.count <= names.count
            expectEqual(seen, names)
        }
    }

    @Test(arguments: Backend.allCases)
    func `a page continues after a deleted item`(backend: Backend) throws {
        try backend.withStore { store, _ throws in
            for sort in ["a", "b", "c"] { try store.put("p", sort) }
            try store.write([.delete(ItemKey("p", "b"), when: [])])
            let page = try store.query(PartitionQuery("p", limit: 10, after: "b"))
            expectEqual(page.items.map(\.key.sort), ["c"])
            expectEqual(page.next, nil)
        }
    }

    @Test(arguments: Backend.allCases)
    func `the key just after the last one is not skipped`(backend: Backend) throws {
        try backend.withStore { store, _ throws in
            for sort in ["a", "a\u{0}", "a\u{0}\u{0}", "a\u{1}"] { try store.put("p", sort) }
            let page = try store.query(PartitionQuery("p", prefix: "a", limit: 10, after: "a"))
            expectEqual(
                page.items.map { Array($0.key.sort.utf8) }, utf8("a\u{0}", "a\u{0}\u{0}", "a\u{1}"))
        }
    }

    @Test(arguments: Backend.allCases)
    func `a page of large items is complete`(backend: Backend) throws {
        try backend.withStore { store, _ throws in
            // Over one megabyte, which is the limit of DynamoDB's own page.
            let value = Attribute.bytes([UInt8](repeating: 0xA5, count: 300 << 10))
            for index in 0..<5 { try store.put("p", "s\(index)", ["v": value]) }
            let items = try store.all(PartitionQuery("p", limit: 10))
            expectEqual(items.map(\.key.sort), ["s0", "s1", "s2", "s3", "s4"])
            #expect(items.allSatisfy { $0.attributes["v"] == value })
        }
    }

    /// Enough for several pages of DynamoDB, and more partitions than a page of the others has.
    @Test(arguments: Backend.allCases)
    func `partitions are found by their items, each of them once`(backend: Backend) throws {
        try backend.withStore { store, _ throws in
            let count = StoreLimits.partitionsPerPageMax + 5
            for index in 0..<count {
                try store.put("LOG#\(index)", "1")
                try store.put("LOG#\(index)", "2")
            }
            for index in 0..<4 {
                let large = [UInt8](repeating: 0, count: 350_000)
                try store.write([
                    .put(Item(ItemKey("LOG#large", "\(index)"), ["a": .bytes(large)]), when: [])
                ])
            }
            for other in ["LOG", "LOGS#1", "LOH#1", "A", "log#1"] { try store.put(other, "1") }
            var found: [String] = []
            var after: ItemKey?
            repeat {
                let page = try store.partitions(withPrefix: "LOG#", after: after)
                found += page.keys.map(\.partition)
                after = page.next
            } while after != nil
            expectEqual(found.count, count + 1)
            expectEqual(Set(found), Set((0..<count).map { "LOG#\($0)" } + ["LOG#large"]))
            try expectEqual(store.partitions(withPrefix: "NONE#", after: nil).keys, [])
        }
    }
}

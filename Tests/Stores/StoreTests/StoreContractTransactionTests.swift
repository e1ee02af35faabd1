@Suite("Store contract: transactions")
struct StoreContractTransactionTests {
    @Test(arguments: Backend.allCases)
    func `an empty transaction changes nothing and succeeds`(backend: Backend) throws {
        try backend.withStore { store, _ in try store.write([]) }
    }

    @Test(arguments: Backend.allCases)
    func `puts, deletes and checks of several partitions are atomic`(backend: Backend) throws {
        try backend.withStore { store, _ throws in
            try store.put("a", "old", ["v": .integer(1)])
            try store.put("b", "gone")
            try store.put("c", "checked", ["v": .text("x")])
            try store.write([
                .put(
                    Item(ItemKey("a", "old"), ["v": .integer(2)]),
                    when: [.equals("v", .integer(1))]),
                .put(Item(ItemKey("a", "new"), [:]), when: [.absent]),
                .delete(ItemKey("b", "gone"), when: [.present]),
                .check(ItemKey("c", "checked"), when: [.equals("v", .text("x")), .lacks("w")]),
                .check(ItemKey("d", "nobody"), when: [.absent]),
            ])
            try expectEqual(store.get(ItemKey("a", "old"))?.attributes, ["v": .integer(2)])
            try expectEqual(store.sorts("a"), utf8("new", "old"))
            try expectEqual(store.sorts("b"), [])
            try expectEqual(store.sorts("c"), utf8("checked"))
            try expectEqual(store.sorts("d"), [])
        }
    }

    @Test(arguments: Backend.allCases, [0, 1, 50, 98, 99])
    func `one failed condition among a hundred writes undoes all`(backend: Backend, failing: Int)
        throws
    {
        try backend.withStore { store, _ throws in
            try store.put("p", "kept", ["v": .integer(1)])
            let writes: [Write] = (0..<100).map { index in
                let key = ItemKey("p", "s\(index)")
                let condition = index == failing ? Condition.present : .absent
                return switch index % 3 {
                case 0: .put(Item(key, [:]), when: [condition])
                case 1: .check(key, when: [condition])
                default: .delete(key, when: [condition])
                }
            }
            #expect(throws: StoreFailure.conditionFailed) { try store.write(writes) }
            try expectEqual(store.sorts("p"), utf8("kept"))
        }
    }

    @Test(arguments: Backend.allCases)
    func `conditions are evaluated on the state before the transaction`(backend: Backend) throws {
        try backend.withStore { store, _ throws in
            // The check of "b" does not depend on the put of "a", in either order.
            let writes: [Write] = [
                .put(Item(ItemKey("p", "a"), [:]), when: [.absent]),
                .check(ItemKey("p", "b"), when: [.absent]),
                .put(Item(ItemKey("p", "c"), [:]), when: []),
            ]
            try store.write(writes)
            try expectEqual(store.sorts("p"), utf8("a", "c"))
            #expect(throws: StoreFailure.conditionFailed) { try store.write(writes) }
            try expectEqual(store.sorts("p"), utf8("a", "c"))
        }
    }

    @Test(arguments: Backend.allCases)
    func `an unconditional write is not made if another condition fails`(backend: Backend) throws {
        try backend.withStore { store, _ throws in
            try store.put("p", "deleted")
            #expect(throws: StoreFailure.conditionFailed) {
                try store.write([
                    .put(Item(ItemKey("p", "put"), [:]), when: []),
                    .delete(ItemKey("p", "deleted"), when: []),
                    .check(ItemKey("p", "missing"), when: [.present]),
                ])
            }
            try expectEqual(store.sorts("p"), utf8("deleted"))
        }
    }

    @Test(arguments: Backend.allCases)
    func `the store still works after a failed write`(backend: Backend) throws {
        try backend.withStore { store, _ throws in
            for index in 0..<3 {
                #expect(throws: StoreFailure.conditionFailed) {
                    try store.write([.check(ItemKey("p", "s\(index)"), when: [.present])])
                }
                try store.put("p", "s\(index)")
            }
            try expectEqual(store.sorts("p"), utf8("s0", "s1", "s2"))
        }
    }
}

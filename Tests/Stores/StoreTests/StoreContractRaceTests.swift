@Suite("Store contract: races", .hangLimit)
struct StoreContractRaceTests {
    @Test(arguments: Backend.allCases)
    func `concurrent increments add up exactly and all sums are distinct`(backend: Backend)
        throws
    {
        try backend.withStore { store, clock throws in
            let end = clock.now + .hours(1)
            let sums = try onThreads(100) { _ in
                try store.increment(ItemKey("p", "s"), by: 1, expiresAt: end)
            }
            expectEqual(sums.sorted(), Array(1...100))
        }
    }

    @Test(arguments: Backend.allCases)
    func `exactly one of fifty concurrent creations succeeds`(backend: Backend) throws {
        try backend.withStore { store, _ throws in
            let key = ItemKey("p", "s")
            let outcomes = try onThreads(50) { index in
                try store.tryWrite([
                    .put(Item(key, ["winner": .integer(Int64(index))]), when: [.absent])
                ]) ? index : nil
            }
            let winners = outcomes.compactMap { $0 }
            expectEqual(winners.count, 1)
            try expectEqual(
                store.get(key)?.attributes["winner"], winners.first.map { .integer(Int64($0)) })
        }
    }

    @Test(arguments: Backend.allCases)
    func `exactly one of several concurrent transactions on the same items succeeds`(
        backend: Backend
    ) throws {
        try backend.withStore { store, _ throws in
            let keys = [ItemKey("p", "a"), ItemKey("q", "b")]
            let outcomes = try onThreads(30) { index in
                // Half of them in reverse order, which must not cause a deadlock.
                let ordered = index % 2 == 0 ? keys : keys.reversed()
                return try store.tryWrite(
                    ordered.map {
                        .put(Item($0, ["winner": .integer(Int64(index))]), when: [.absent])
                    })
            }
            expectEqual(outcomes.count { $0 }, 1)
            let winners = try store.get(keys).map { $0?.attributes["winner"] }
            expectEqual(winners[0], winners[1])
            #expect(winners[0] != nil)
        }
    }

    @Test(arguments: Backend.allCases)
    func `a compare-and-swap loop loses no update`(backend: Backend) throws {
        try backend.withStore { store, _ throws in
            let key = ItemKey("p", "s")
            try store.put("p", "s", ["generation": .integer(0)])
            _ = try onThreads(8) { _ in
                var swapsLeft = 5
                while swapsLeft > 0 {
                    guard
                        case .integer(let generation) = try store.get(key)?
                            .attributes["generation"]
                    else { return }
                    let next = Item(key, ["generation": .integer(generation + 1)])
                    let condition = Condition.equals("generation", .integer(generation))
                    if try store.tryWrite([.put(next, when: [condition])]) { swapsLeft -= 1 }
                }
            }
            try expectEqual(store.get(key)?.attributes, ["generation": .integer(40)])
        }
    }
}

extension KeyValueStore {
    /// Whether the conditions held.
    fileprivate func tryWrite(_ writes: [Write]) throws -> Bool {
        do throws(StoreFailure) {
            try write(writes)
            return true
        } catch .conditionFailed {
            return false
        }
    }
}

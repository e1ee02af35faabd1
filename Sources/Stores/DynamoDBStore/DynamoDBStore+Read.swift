internal import AWSClients
internal import Cryptography
internal import JSON
package import KeyValueStore
internal import Time

extension DynamoDBStore {
    /// Nearly always one round is enough. More are needed for an expired counter, for a page that
    /// is not yet full, and for unprocessed keys: a response holds at most 16 MB, so a hundred of
    /// the largest items take three.
    private static let readRoundsMax = 8

    /// Each round sends the remaining requests of all parts concurrently.
    package func read(
        _ keys: [ItemKey], counting counters: [CounterIncrement], listing query: PartitionQuery?
    ) throws(StoreFailure) -> CountedRead {
        try StoreLimits.check(reading: keys, counting: counters, listing: query)
        let start = clock.now()
        var additions = counters.map { CounterAddition($0, in: self) }
        var reading = ItemReading(keys, in: self)
        var paging = query.map { PageReading($0, in: self, at: start) }
        for round in 0..<Self.readRoundsMax {
            let now = clock.now()
            let counting = additions.indices.filter { additions[$0].sum == nil }
            var calls = counting.map { additions[$0].call(at: now) }
            let readingCall = reading.call
            if let readingCall { calls.append(readingCall) }
            let pagingCall = paging?.call
            if let pagingCall { calls.append(pagingCall) }
            if calls.isEmpty { break }

            var outcomes = call.sendAll(calls)
            var failed: [StoreFailure] = []
            for (index, outcome) in zip(counting, outcomes) {
                do throws(StoreFailure) {
                    try additions[index].take(outcome, at: now)
                } catch {
                    failed.append(error)
                }
            }
            if pagingCall != nil, let outcome = outcomes.popLast() {
                do throws(StoreFailure) {
                    try paging?.take(outcome)
                } catch {
                    failed.append(error)
                }
            }
            var isThrottled = false
            if readingCall != nil, let outcome = outcomes.last {
                do throws(StoreFailure) {
                    isThrottled = try !reading.take(outcome)
                } catch {
                    failed.append(error)
                }
            }
            if let failure = failed.first(where: \.isPermanent) ?? failed.first { throw failure }
            if isThrottled { pause(throttlingPause(after: round)) }
        }
        let sums = additions.compactMap(\.sum)
        guard sums.count == counters.count else {
            throw failures.unavailable("a counter changed too often during the addition")
        }
        guard reading.call == nil else { throw failures.unavailable("a read is incomplete") }
        return CountedRead(
            items: keys.map { reading.item($0, at: start) }, sums: sums, page: paging?.soFar)
    }

    /// Exponential backoff with full jitter, so that clients throttled together do not retry
    /// together.
    private func throttlingPause(after round: Int) -> Span {
        let bound = Int64(20) << Int64(min(round, 5))
        let draw = random.bytes(4).reduce(0 as Int64) { $0 << 8 | Int64($1) }
        return .milliseconds(draw % (bound + 1))
    }
}

extension StoreFailure {
    fileprivate var isPermanent: Bool {
        switch self {
        case .refused, .unreadable: true
        case .conditionFailed, .unavailable: false
        }
    }
}

/// Reads items by key, in as many batches as the service needs.
struct ItemReading {
    private let store: DynamoDBStore
    private let isBatch: Bool
    private var missing: [JSON]
    private var found: [Item] = []

    init(_ keys: [ItemKey], in store: DynamoDBStore) {
        self.store = store
        // BatchGetItem refuses duplicate keys.
        missing = keys.enumerated().filter { !keys[..<$0.offset].contains($0.element) }
            .map { StoredItem.key($0.element) }
        isBatch = missing.count > 1
    }

    /// Nil when all items are read.
    var call: AWSCall? {
        guard let first = missing.first else { return nil }
        if !isBatch {
            return AWSCall(
                "GetItem",
                ["TableName": .string(store.table), "Key": first, "ConsistentRead": true])
        }
        return AWSCall(
            "BatchGetItem",
            [
                "RequestItems": .object([
                    store.table: ["Keys": .array(missing), "ConsistentRead": true]
                ])
            ])
    }

    /// False if the response contains no item, which is how the service throttles a batch.
    mutating func take(_ outcome: DynamoDBCall.Outcome) throws(StoreFailure) -> Bool {
        let answer = try store.answer(outcome)
        if !isBatch {
            missing = []
            if let json = answer["Item"] { try add(json) }
            return true
        }
        let items = answer["Responses"]?[store.table]?.arrayValue ?? []
        for json in items { try add(json) }
        missing = answer["UnprocessedKeys"]?[store.table]?["Keys"]?.arrayValue ?? []
        return missing.isEmpty || !items.isEmpty
    }

    func item(_ key: ItemKey, at now: Instant) -> Item? {
        found.first { $0.key == key && $0.exists(at: now) }
    }

    private mutating func add(_ json: JSON) throws(StoreFailure) {
        found.append(try store.item(json))
    }
}

import KeyValueStore

/// The store of the functions: at each call another function may run first, the store may fail
/// before or after performing the call, and the function may be killed.
final class FunctionStore: KeyValueStore, @unchecked Sendable {
    private let inner: any KeyValueStore
    private let context: SimulationContext
    private let running: RunningFunctions
    let flaws: StoreFlaws
    /// The contents of the DynamoDB store, which injects its own faults into each request.
    private let contents: (any KeyValueStore)?
    private(set) var calls = 0

    init(
        _ inner: any KeyValueStore, of contents: (any KeyValueStore)? = nil,
        _ context: SimulationContext,
        _ running: RunningFunctions, _ flaws: StoreFlaws
    ) {
        self.inner = inner
        self.contents = contents
        self.context = context
        self.running = running
        self.flaws = flaws
    }

    private enum Fate { case fine, notMade, answerLost, repeated }

    private func fate(isWrite: Bool) throws(StoreFailure) -> Fate {
        calls += 1
        if contents != nil { return .fine }
        running.waitForStore()
        if running.isKilled { throw .unavailable(detail: "killed") }
        if isWrite {
            switch context.first(of: [
                .functionKilledBeforeWrite, .functionKilledAfterWrite, .storeUnavailable,
                .storeAnswerLost, .storeWriteRepeated,
            ]) {
            case .functionKilledBeforeWrite:
                running.kill()
                return .notMade
            case .functionKilledAfterWrite:
                running.kill()
                return .answerLost
            case .storeUnavailable: return .notMade
            case .storeAnswerLost: return .answerLost
            case .storeWriteRepeated: return .repeated
            default: return .fine
            }
        }
        return context.happens(.storeUnavailable) ? .notMade : .fine
    }

    /// Whether the call belongs to the fetch of a client's document, which functions make one at a
    /// time (`ClientDocuments.inTurn`).
    private static func isInTurn(_ keys: [ItemKey]) -> Bool {
        keys.contains {
            RowKind($0) == .clientDocument || $0.partition.hasPrefix("RATE#fetchClient")
        }
    }

    func read(
        _ keys: [ItemKey], counting counters: [CounterIncrement], listing query: PartitionQuery?
    ) throws(StoreFailure) -> CountedRead {
        running.holdsLock = Self.isInTurn(keys + counters.map(\.key))
        defer { running.holdsLock = false }
        if try fate(isWrite: false) == .notMade { throw .unavailable(detail: "throttled") }
        let read = try inner.read(keys, counting: flaws.counted(counters), listing: query)
        return CountedRead(
            items: zip(keys, read.items).map { flaws.seen($1, at: $0) },
            sums: counters.count == read.sums.count ? read.sums : counters.map { _ in 1 },
            page: read.page.map(flaws.seen))
    }

    func query(_ query: PartitionQuery) throws(StoreFailure) -> Page {
        if try fate(isWrite: false) == .notMade { throw .unavailable(detail: "throttled") }
        return flaws.seen(try inner.query(query), of: query)
    }

    func partitions(withPrefix prefix: String, after: ItemKey?) throws(StoreFailure)
        -> PartitionPage
    { try inner.partitions(withPrefix: prefix, after: after) }

    func write(_ writes: [Write]) throws(StoreFailure) {
        running.holdsLock = Self.isInTurn(writes.map(\.key))
        defer { running.holdsLock = false }
        switch try fate(isWrite: true) {
        case .notMade: throw .unavailable(detail: "throttled")
        case .fine: try make(writes)
        case .answerLost:
            try make(writes)
            throw .unavailable(detail: "the answer is lost")
        case .repeated:
            // The store's client repeats a request without an answer. A transaction has a token,
            // which makes the repetition harmless (`KeyValueStore.write`).
            try make(writes)
            if writes.count == 1 { try make(writes) }
        }
    }

    private func make(_ wanted: [Write]) throws(StoreFailure) {
        checkThatNobodyIsLetIn(wanted)
        let before = flaws.remembers ? (try? inner.get(wanted.map(\.key))) : nil
        do throws(StoreFailure) {
            var made = flaws.made(wanted)
            if running.isFormer { made = made.map(FormerRelease.written) }
            if !made.isEmpty { try inner.write(made) }
        } catch {
            if error == .conditionFailed { checkThatNothingChanged(wanted) }
            guard error == .conditionFailed, flaws.swallowsConflicts else { throw error }
        }
        if let before { flaws.remember(wanted.map(\.key), before) }
    }

    /// A transaction that is refused has made no write. For one write, see `KeyValueStore.write`.
    private func checkThatNothingChanged(_ writes: [Write]) {
        guard writes.count > 1, let items = try? contents?.get(writes.map(\.key)) else { return }
        let puts = zip(writes, items).compactMap { write, item -> Bool? in
            guard case .put(let wanted, _) = write else { return nil }
            return item == wanted
        }
        if !puts.isEmpty, puts.allSatisfy({ $0 }) {
            context.violate(.conflictsChangeNothing, "a transaction was refused, and made")
        }
    }

    /// A request that a hook of the app has refused makes neither an account nor a session.
    private func checkThatNobodyIsLetIn(_ writes: [Write]) {
        guard running.isRefused else { return }
        for case .put(let item, _) in writes {
            let kind = RowKind(item.key)
            guard [.profile, .session, .identity, .emailClaim].contains(kind) else { continue }
            context.violate(.hookDecides, "a refused request wrote a row of \(kind.rawValue)")
        }
    }
}

import KeyValueStore
import Synchronization

/// The store of the functions: at each call another function may run first, the store may fail
/// before or after it has done what it was asked, and the function may be killed.
final class FunctionStore: KeyValueStore, @unchecked Sendable {
    private let inner: MemoryStore
    private let world: World
    let flaws: StoreFlaws
    /// Whether other functions may run meanwhile.
    var admitsOthers = true
    /// How often a call takes so long that requests begin meanwhile, in percent.
    var slowness: UInt64 = 0
    /// Functions that run, inside of each other.
    var depth = 0
    /// Those of them that have been killed.
    var killed: Set<Int> = []
    private(set) var calls = 0
    private(set) var writes = 0

    private static let depthMax = 3

    init(_ inner: MemoryStore, _ world: World, _ flaws: StoreFlaws) {
        self.inner = inner
        self.world = world
        self.flaws = flaws
    }

    private enum Fate { case fine, notMade, answerLost, repeated }

    private func fate(isWrite: Bool) throws(StoreFailure) -> Fate {
        calls += 1
        world.scheduler.count(4)
        if admitsOthers, depth > 0, depth < Self.depthMax {
            if world.happens(percent: 50) {
                world.scheduler.deliverAnotherMessage()
            } else if world.happens(percent: slowness) {
                world.scheduler.letOthersGoOn()
            }
        }
        if killed.contains(depth) { throw .unavailable(detail: "killed") }
        if isWrite {
            switch world.first(of: [
                .functionKilledBeforeWrite, .functionKilledAfterWrite, .storeUnavailable,
                .storeAnswerLost, .storeWriteRepeated,
            ]) {
            case .functionKilledBeforeWrite:
                killed.insert(depth)
                return .notMade
            case .functionKilledAfterWrite:
                killed.insert(depth)
                return .answerLost
            case .storeUnavailable: return .notMade
            case .storeAnswerLost: return .answerLost
            case .storeWriteRepeated: return .repeated
            default: return .fine
            }
        }
        return world.happens(.storeUnavailable) ? .notMade : .fine
    }

    func read(
        _ keys: [ItemKey], counting counters: [CounterIncrement], listing query: PartitionQuery?
    ) throws(StoreFailure) -> CountedRead {
        if try fate(isWrite: false) == .notMade { throw .unavailable(detail: "throttled") }
        let read = try inner.read(keys, counting: flaws.counted(counters), listing: query)
        return CountedRead(
            items: zip(keys, read.items).map { flaws.seen($1, at: $0) },
            sums: counters.count == read.sums.count ? read.sums : counters.map { _ in 1 },
            page: read.page.map(flaws.seen))
    }

    func query(_ query: PartitionQuery) throws(StoreFailure) -> Page {
        if try fate(isWrite: false) == .notMade { throw .unavailable(detail: "throttled") }
        return flaws.seen(try inner.query(query))
    }

    func partitions(withPrefix prefix: String, after: ItemKey?) throws(StoreFailure)
        -> PartitionPage
    { try inner.partitions(withPrefix: prefix, after: after) }

    func write(_ writes: [Write]) throws(StoreFailure) {
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
        let before = flaws.remembers ? (try? inner.get(wanted.map(\.key))) : nil
        do throws(StoreFailure) {
            let made = flaws.made(wanted)
            if !made.isEmpty { try inner.write(made) }
        } catch {
            guard error == .conditionFailed, flaws.swallowsConflicts else { throw error }
        }
        writes += 1
        if let before { flaws.remember(wanted.map(\.key), before) }
    }
}

internal import EmulatorBase
internal import Synchronization

/// The fault list of the emulator, for all services. A restart empties it.
package final class FaultList: Sendable {
    package struct Entry: Sendable {
        package let id: Int
        package let rule: FaultRule
        /// The number of matching requests. `hits` counts the affected ones.
        package var seen = 0
        package var hits = 0
        fileprivate var generator: UInt64

        package var isUsedUp: Bool { rule.count.map { hits >= $0 } ?? false }
        package var left: Int? { rule.count.map { max(0, $0 - hits) } }

        fileprivate init(id: Int, rule: FaultRule) {
            self.id = id
            self.rule = rule
            generator = rule.seed
        }

        /// Counts a matching request and returns whether it is affected.
        fileprivate mutating func takes() -> Bool {
            guard !isUsedUp else { return false }
            seen += 1
            guard seen > rule.skip else { return false }
            if let probability = rule.probability, nextFraction() >= probability { return false }
            hits += 1
            return true
        }

        /// SplitMix64 (Steele, Lea and Flood, 2014).
        private mutating func nextFraction() -> Double {
            generator &+= 0x9E37_79B9_7F4A_7C15
            var word = generator
            word = (word ^ word >> 30) &* 0xBF58_476D_1CE4_E5B9
            word = (word ^ word >> 27) &* 0x94D0_49BB_1331_11EB
            word ^= word >> 31
            return Double(word >> 11) / Double(1 << 53)
        }
    }

    private struct State: Sendable {
        var entries: [Entry] = []
        var lastID = 0
    }

    private let state = Mutex(State())
    private let activeCount = Atomic<Int>(0)

    package init() {}

    /// Whether there is an active fault. This costs each request one relaxed load.
    package var isOn: Bool { activeCount.load(ordering: .relaxed) != 0 }

    /// All faults, including used-up ones that are not removed yet.
    package var all: [Entry] { state.withLock { $0.entries } }

    package var active: [Entry] { all.filter { !$0.isUsedUp } }

    /// nil if there are too many. Used-up faults are removed to make room.
    @discardableResult
    package func add(_ rule: FaultRule) -> Int? {
        change { state in
            if state.entries.count >= FaultLimits.faultsMax {
                guard let old = state.entries.firstIndex(where: \.isUsedUp) else { return nil }
                state.entries.remove(at: old)
            }
            state.lastID += 1
            state.entries.append(Entry(id: state.lastID, rule: rule))
            return state.lastID
        }
    }

    /// Returns the IDs of the removed faults.
    @discardableResult
    package func remove(where isRemoved: @Sendable (Entry) -> Bool) -> [Int] {
        change { state in
            let ids = state.entries.filter(isRemoved).map(\.id)
            state.entries.removeAll { ids.contains($0.id) }
            return ids
        }
    }

    /// Decides the effect on a request: delays add up, and the first other effect ends it.
    package func decide(_ subject: FaultSubject) -> FaultDecision {
        change { state in
            var decision = FaultDecision()
            for index in state.entries.indices {
                let rule = state.entries[index].rule
                guard !rule.isAppliedByService, rule.match.matches(subject),
                    state.entries[index].takes()
                else { continue }
                decision.ids.append(state.entries[index].id)
                guard rule.effect == .delay else {
                    if case .error = rule.effect { decision.delay += rule.milliseconds ?? 0 }
                    decision.end = rule
                    break
                }
                decision.delay += rule.milliseconds ?? FaultLimits.delayMilliseconds
            }
            decision.delay = min(decision.delay, Int(FaultLimits.millisecondsMax))
            return decision
        }
    }

    /// The active fault of that name, for a service that applies it itself; counts the request.
    package func take(_ name: String, _ service: FaultService, of resource: String = "") -> Entry? {
        guard isOn else { return nil }
        return change { state in
            for index in state.entries.indices
            where state.entries[index].concerns(name, service, resource) {
                if state.entries[index].takes() { return state.entries[index] }
            }
            return nil
        }
    }

    /// The active faults that a service applies itself.
    package func named(_ service: FaultService, of resource: String = "") -> [(String, Entry)] {
        active.compactMap { entry in
            guard case .error(let name) = entry.rule.effect,
                entry.concerns(name, service, resource)
            else { return nil }
            return (name, entry)
        }
    }

    private func change<Result: Sendable>(_ body: (inout State) -> Result) -> Result {
        state.withLock { state in
            defer {
                activeCount.store(
                    state.entries.count { !$0.isUsedUp }, ordering: .relaxed)
            }
            return body(&state)
        }
    }
}

extension FaultList.Entry {
    fileprivate func concerns(
        _ name: String, _ service: FaultService, _ resource: String
    ) -> Bool {
        guard rule.match.service == service, rule.effect == .error(name) else { return false }
        guard let pattern = rule.match.pattern(.provider) else { return true }
        return Wildcard.matches(pattern, resource)
    }
}

/// The effect of the fault list on one request.
package struct FaultDecision: Sendable {
    package var ids: [Int] = []
    /// The delay in milliseconds.
    package var delay = 0
    /// nil if the request is served.
    package var end: FaultRule?
}

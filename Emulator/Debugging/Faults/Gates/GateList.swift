internal import Synchronization

/// The gates of the emulator. Each releases one group of requests and is then done.
package final class GateList: Sendable {
    private struct Entry: Sendable {
        var gate: Gate
        var calls: [InterceptedCall] = []
    }

    private struct State: Sendable {
        var entries: [Entry] = []
        var lastID = 0
        var isStopped = false
    }

    /// The requests to be released.
    struct Group: Sendable {
        let id: Int
        let plan: GatePlan
        let calls: [InterceptedCall]
        /// Indices of `calls`.
        let order: [Int]
    }

    enum Arrival: Sendable {
        /// No gate holds it.
        case free
        /// A gate holds the call. The first held call starts the gate's time-out.
        case held(gate: Int, isFirst: Bool, plan: GatePlan)
        /// Completes a group.
        case complete(Group)
    }

    private let state = Mutex(State())
    private let waitingCount = Atomic<Int>(0)

    package init() {}

    /// Whether any gate waits. This costs each request one relaxed load.
    package var isOn: Bool { waitingCount.load(ordering: .relaxed) != 0 }

    package var all: [Gate] { state.withLock { $0.entries.map(\.gate) } }

    /// nil if there are too many. Completed gates are removed to make room.
    @discardableResult
    package func add(_ plan: GatePlan) -> Int? {
        change { state in
            if state.entries.count >= FaultLimits.gatesMax {
                let old = state.entries.firstIndex {
                    $0.gate.phase != .waiting && $0.gate.phase != .releasing
                }
                guard let old else { return nil }
                state.entries.remove(at: old)
            }
            state.lastID += 1
            state.entries.append(Entry(gate: Gate(id: state.lastID, plan: plan)))
            return state.lastID
        }
    }

    func arrive(_ call: InterceptedCall) -> Arrival {
        change { state in
            guard !state.isStopped,
                let index = state.entries.firstIndex(where: { entry in
                    entry.gate.phase == .waiting && entry.gate.plan.match.matches(call.subject)
                })
            else { return .free }
            state.entries[index].calls.append(call)
            var subject = call.subject
            // Bodies are no longer needed after the match.
            subject.body = []
            state.entries[index].gate.arrived.append(subject)
            let gate = state.entries[index].gate
            let count = gate.arrived.count
            guard count == gate.plan.arrivals else {
                return .held(gate: gate.id, isFirst: count == 1, plan: gate.plan)
            }
            state.entries[index].gate.phase = .releasing
            return .complete(
                Self.take(&state.entries[index], gate.plan.releases(of: count)))
        }
    }

    /// Ends the wait of a gate; nil if it is not waiting.
    func open(_ id: Int, _ phase: Gate.Phase) -> Group? {
        change { state in
            guard let index = state.entries.firstIndex(where: { $0.gate.id == id }),
                state.entries[index].gate.phase == .waiting
            else { return nil }
            state.entries[index].gate.phase = phase
            let count = state.entries[index].calls.count
            // The plan's order needs all requests; fewer are released in the order of arrival.
            return Self.take(&state.entries[index], Array(0..<count))
        }
    }

    func note(_ id: Int, _ release: Gate.Release) {
        change { state in
            guard let index = state.entries.firstIndex(where: { $0.gate.id == id }) else { return }
            state.entries[index].gate.releases.append(release)
        }
    }

    /// All requests are released.
    func finish(_ id: Int) {
        change { state in
            guard let index = state.entries.firstIndex(where: { $0.gate.id == id }),
                state.entries[index].gate.phase == .releasing
            else { return }
            state.entries[index].gate.phase = .done
        }
    }

    /// The removed gates with the requests that they held.
    func remove(where isRemoved: @Sendable (Gate) -> Bool) -> [(id: Int, group: Group?)] {
        change { state in
            var removed: [(id: Int, group: Group?)] = []
            for index in state.entries.indices where isRemoved(state.entries[index].gate) {
                let gate = state.entries[index].gate
                let waits = gate.phase == .waiting
                let count = state.entries[index].calls.count
                removed.append(
                    (gate.id, waits ? Self.take(&state.entries[index], Array(0..<count)) : nil))
            }
            state.entries.removeAll { isRemoved($0.gate) }
            return removed
        }
    }

    /// Called when the emulator stops: gates hold no more requests. Returns the held ones.
    func stop() -> [InterceptedCall] {
        change { state in
            state.isStopped = true
            let calls = state.entries.flatMap(\.calls)
            state.entries = []
            return calls
        }
    }

    private static func take(_ entry: inout Entry, _ order: [Int]) -> Group {
        defer { entry.calls = [] }
        return Group(
            id: entry.gate.id, plan: entry.gate.plan, calls: entry.calls, order: order)
    }

    private func change<Result: Sendable>(_ body: (inout State) -> Result) -> Result {
        state.withLock { state in
            defer {
                waitingCount.store(
                    state.entries.count { $0.gate.phase == .waiting }, ordering: .relaxed)
            }
            return body(&state)
        }
    }
}

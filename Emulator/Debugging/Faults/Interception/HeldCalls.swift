internal import Synchronization

/// The requests that are delayed or hang. Each ends once, when its time is over or earlier; several
/// end in the order of their arrival.
final class HeldCalls: Sendable {
    enum End: Sendable {
        case time
        /// The fault was removed.
        case removed
        /// The emulator stops.
        case stopped
        /// The caller has disconnected.
        case left
    }

    private struct Held: Sendable {
        let faults: [Int]
        let action: @Sendable (End) -> Void
    }

    private struct State: Sendable {
        var held: [Int: Held] = [:]
        var lastID = 0
        var isStopped = false
    }

    private let state = Mutex(State())

    var count: Int { state.withLock { $0.held.count } }

    /// nil if there are too many, or the emulator is stopping.
    func add(_ faults: [Int], _ action: @escaping @Sendable (End) -> Void) -> Int? {
        state.withLock { state in
            guard !state.isStopped, state.held.count < FaultLimits.heldMax else { return nil }
            state.lastID += 1
            state.held[state.lastID] = Held(faults: faults, action: action)
            return state.lastID
        }
    }

    func end(_ id: Int, _ end: End) {
        let held = state.withLock { $0.held.removeValue(forKey: id) }
        held?.action(end)
    }

    func end(ofFaults ids: [Int]) {
        let concerned = state.withLock { state in
            state.held.filter { $0.value.faults.contains { ids.contains($0) } }.map(\.key)
        }
        for id in concerned.sorted() { end(id, .removed) }
    }

    func stop() {
        let all = state.withLock { state in
            state.isStopped = true
            return state.held.keys.sorted()
        }
        for id in all { end(id, .stopped) }
    }
}

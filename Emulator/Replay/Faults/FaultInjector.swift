internal import EmulatorBase
internal import Synchronization

/// Passes the calls of one run to the store, except one call, to which a fault happens.
final class FaultInjector: StoreCallObserver {
    private struct State {
        var places = CallPlaces()
        var isHit = false
        var writes: StoreWrites
    }

    private let target: (place: CallPlace, fault: StoreFault)
    private let state: Mutex<State>

    init(_ place: CallPlace, _ fault: StoreFault, _ settings: FixtureSettings) {
        target = (place, fault)
        state = Mutex(State(writes: StoreWrites(settings)))
    }

    /// Whether the fault has happened.
    var isHit: Bool { state.withLock { $0.isHit } }
    /// The writes that the store has made.
    var writes: StoreWrites { state.withLock { $0.writes } }

    func handle(_ call: StoreCall, _ slot: ResponseSlot) {
        let (place, fault) = state.withLock { state in
            let place = state.places.place(of: call)
            guard target.place == place, !(state.isHit && target.fault.isSingle)
            else { return (place, nil as StoreFault?) }
            state.isHit = true
            return (place, target.fault)
        }
        guard let fault else {
            slot.respond(perform(call, at: place))
            return
        }
        if fault.mayHaveHappened { _ = perform(call, at: place) }
        if let response = fault.response {
            slot.respond(response)
        } else {
            slot.reset()
        }
    }

    private func perform(_ call: StoreCall, at place: CallPlace) -> ServerResponse {
        let response = call.perform().response
        if response.status == 200 { state.withLock { $0.writes.add(call, at: place) } }
        return response
    }
}

internal import Bytes
internal import EmulatorBase
internal import EmulatorDynamoDB
internal import Synchronization

/// A call that a run made.
struct MeteredCall: Sendable {
    let call: StoreCall
    let place: CallPlace
    let isAfterAnswer: Bool
    let isDone: Bool
}

/// Counts the store calls of one run. Each call is held until no other has arrived for a while:
/// calls that are held at the same time count as one trip.
final class CallMeter: StoreCallObserver {
    private struct State {
        var held: [(call: StoreCall, slot: ResponseSlot)] = []
        var arrivals = 0
        var hasAnswered = false
        var cost = StoreCost()
        var places = CallPlaces()
        var calls: [MeteredCall] = []
    }

    private let windowMilliseconds: Int
    private let cachedPartitions: [String]
    private let after: @Sendable (_ milliseconds: Int, @escaping @Sendable () -> Void) -> Void
    private let state = Mutex(State())

    /// - Parameters:
    ///   - cachedPartitions: beginnings of partition keys. Calls that concern only these are not
    ///     counted, because a process makes them once for many requests.
    ///   - after: calls back after that many milliseconds.
    init(
        windowMilliseconds: Int, cachedPartitions: [String],
        after: @escaping @Sendable (Int, @escaping @Sendable () -> Void) -> Void
    ) {
        self.windowMilliseconds = windowMilliseconds
        self.cachedPartitions = cachedPartitions
        self.after = after
    }

    var cost: StoreCost { state.withLock { $0.cost } }
    var calls: [MeteredCall] { state.withLock { $0.calls } }

    func noteAnswer() { state.withLock { $0.hasAnswered = true } }

    func handle(_ call: StoreCall, _ slot: ResponseSlot) {
        guard !call.concernsOnly(cachedPartitions) else {
            slot.respond(call.perform().response)
            return
        }
        let arrivals = state.withLock { state in
            state.held.append((call, slot))
            state.arrivals += 1
            return state.arrivals
        }
        after(windowMilliseconds) { self.release(ifLast: arrivals) }
    }

    private func release(ifLast arrivals: Int) {
        let (trip, isAfterAnswer) = state.withLock { state in
            guard state.arrivals == arrivals else {
                return ([] as [(StoreCall, ResponseSlot)], false)
            }
            defer { state.held = [] }
            if state.hasAnswered {
                state.cost.tripsAfterAnswer += 1
            } else {
                state.cost.trips += 1
            }
            return (state.held, state.hasAnswered)
        }
        for (call, slot) in trip {
            let result = call.perform()
            state.withLock { state in
                state.cost.readUnits += result.units.read
                state.cost.writeUnits += result.units.written
                state.calls.append(
                    MeteredCall(
                        call: call, place: state.places.place(of: call),
                        isAfterAnswer: isAfterAnswer, isDone: result.response.status == 200))
            }
            slot.respond(result.response)
        }
    }
}

package import EmulatorBase
internal import Synchronization

/// Applies the faults and gates to requests.
package final class FaultInterceptor: Sendable {
    package typealias Action = @Sendable () -> Void

    package let faults: FaultList
    package let gates = GateList()
    private let held = HeldCalls()
    private let after: @Sendable (_ milliseconds: Int, _ action: @escaping Action) -> Void
    private let run: @Sendable (_ action: @escaping Action) -> Void

    /// - Parameters:
    ///   - after: calls back after that many milliseconds, on any thread.
    ///   - run: runs an action that may block, on another thread.
    package init(
        _ faults: FaultList,
        after: @escaping @Sendable (Int, @escaping Action) -> Void,
        run: @escaping @Sendable (@escaping Action) -> Void
    ) {
        self.faults = faults
        self.after = after
        self.run = run
    }

    /// Whether any fault or gate is active. Without any, this is the only cost of a request.
    package var isOn: Bool { faults.isOn || gates.isOn }

    package func handle(
        _ subject: FaultSubject, _ request: ServerRequest, _ slot: ResponseSlot,
        onFault: @escaping @Sendable ([Int]) -> Void = { _ in },
        _ serve: @escaping @Sendable (ServerRequest, ResponseSlot) -> Void
    ) {
        pass(InterceptedCall(subject, request, slot, onFault: onFault, serve: serve))
    }

    package func pass(_ call: InterceptedCall) {
        switch gates.isOn ? gates.arrive(call) : .free {
        case .free: apply(call, isAnswered: true) { _ in }
        case .held(let gate, let isFirst, let plan):
            guard isFirst else { return }
            after(plan.timeoutMilliseconds) { [self] in
                if let group = gates.open(gate, .timedOut) { release(group) }
            }
        case .complete(let group): release(group)
        }
    }

    /// Returns false if there is no such gate, or it is no longer waiting.
    package func open(gate: Int) -> Bool {
        guard let group = gates.open(gate, .opened) else { return false }
        release(group)
        return true
    }

    /// The requests that the removed gates hold are served.
    @discardableResult
    package func remove(gates isRemoved: @Sendable (Gate) -> Bool) -> [Int] {
        let removed = gates.remove(where: isRemoved)
        for group in removed.compactMap(\.group) { release(group) }
        return removed.map(\.id)
    }

    /// The requests that the removed faults delay are served, and the hanging requests are reset.
    @discardableResult
    package func remove(faults isRemoved: @Sendable (FaultList.Entry) -> Bool) -> [Int] {
        let ids = faults.remove(where: isRemoved)
        held.end(ofFaults: ids)
        return ids
    }

    /// Resets the held requests; no more requests are held.
    package func stop() {
        faults.remove { _ in true }
        for call in gates.stop() { call.reset() }
        held.stop()
    }
}

// Gates.
extension FaultInterceptor {
    private func release(_ group: GateList.Group) {
        for index in group.calls.indices where !group.order.contains(index) {
            group.calls[index].reset()
            gates.note(
                group.id, Gate.Release(arrival: index + 1, isCopy: false, fate: .dropped))
        }
        if group.plan.isTogether {
            let counter = Countdown(group.order.count)
            for position in group.order.indices {
                run { [self] in
                    release(group, position) { [self] in
                        if counter.isLast { gates.finish(group.id) }
                    }
                }
            }
            if group.order.isEmpty { gates.finish(group.id) }
        } else {
            run { [self] in releaseInOrder(group, from: 0) }
        }
    }

    private func releaseInOrder(_ group: GateList.Group, from position: Int) {
        guard position < group.order.count else { return gates.finish(group.id) }
        release(group, position) { [self] in
            // The thread of the service that has just responded does not run this.
            run { [self] in releaseInOrder(group, from: position + 1) }
        }
    }

    /// `next` is called when the request is answered, or when the gate times out.
    private func release(
        _ group: GateList.Group, _ position: Int, next: @escaping Action
    ) {
        let index = group.order[position]
        let isCopy = group.order[..<position].contains(index)
        let once = OnceOnly()
        let end: @Sendable (Gate.Fate) -> Void = { [self] fate in
            guard once.isFirst else { return }
            gates.note(
                group.id, Gate.Release(arrival: index + 1, isCopy: isCopy, fate: fate))
            next()
        }
        after(group.plan.timeoutMilliseconds) { end(.unanswered) }
        // The caller gets the response to the first of several copies.
        apply(group.calls[index], isAnswered: !isCopy) { end(.answered(status: $0)) }
    }
}

// Faults.
extension FaultInterceptor {
    private func apply(
        _ call: InterceptedCall, isAnswered: Bool, done: @escaping @Sendable (Int) -> Void
    ) {
        let decision = faults.isOn ? faults.decide(call.subject) : FaultDecision()
        if !decision.ids.isEmpty { call.onFault(decision.ids) }
        guard decision.delay > 0 else { return finish(decision, call, isAnswered, done) }
        let id = held.add(decision.ids) { [self] end in
            if case .stopped = end {
                call.reset()
                return done(0)
            }
            run { [self] in finish(decision, call, isAnswered, done) }
        }
        guard let id else { return finish(decision, call, isAnswered, done) }
        after(decision.delay) { [held] in held.end(id, .time) }
    }

    private func finish(
        _ decision: FaultDecision, _ call: InterceptedCall, _ isAnswered: Bool,
        _ done: @escaping @Sendable (Int) -> Void
    ) {
        guard let rule = decision.end else { return call.serve(isAnswered, done) }
        switch rule.effect {
        case .delay: call.serve(isAnswered, done)
        case .error(let name): fail(name, call, done)
        case .throttle:
            let error = FaultErrors.throttle(call.subject.service)
            call.fail(error)
            done(error.status)
        case .reset:
            call.reset()
            done(0)
        case .hang:
            hang(decision, rule, call)
            done(0)
        case .lose(let answer):
            call.serve(false) { [self] _ in
                switch answer {
                case .reset:
                    call.reset()
                    done(0)
                case .hang:
                    hang(decision, rule, call)
                    done(0)
                case .error(let name): fail(name, call, done)
                }
            }
        }
    }

    private func fail(
        _ name: String, _ call: InterceptedCall, _ done: @escaping @Sendable (Int) -> Void
    ) {
        guard let error = FaultErrors.named(name, call.subject.service) else {
            return call.serve(true, done)
        }
        call.fail(error)
        done(error.status)
    }

    private func hang(_ decision: FaultDecision, _ rule: FaultRule, _ call: InterceptedCall) {
        let asked = rule.milliseconds ?? FaultLimits.hangMilliseconds
        let id = held.add(decision.ids) { end in
            switch end {
            case .time: call.giveUp()
            case .removed, .stopped, .left: call.reset()
            }
        }
        guard let id else { return call.reset() }
        call.onLeave { [held] in held.end(id, .left) }
        after(min(asked, call.hangMillisecondsMax ?? asked)) { [held] in held.end(id, .time) }
    }
}

/// Tells the first call from all later calls.
private final class OnceOnly: Sendable {
    private let isDone = Atomic<Bool>(false)
    var isFirst: Bool { !isDone.exchange(true, ordering: .relaxed) }
}

/// Counts down. `isLast` is true for the last call.
private final class Countdown: Sendable {
    private let left: Atomic<Int>
    init(_ count: Int) { left = Atomic(count) }
    var isLast: Bool { left.subtract(1, ordering: .relaxed).newValue == 0 }
}

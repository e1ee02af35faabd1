import Synchronization
import TestSupport
import Testing

import EmulatorDebugging

/// The order in which gates release requests.
@Suite("Gates")
struct GateTests {
    /// An interceptor with requests that are answered at once, timers fired by the test, and no
    /// threads.
    private final class Stage: Sendable {
        let interceptor: FaultInterceptor
        private let events = Mutex<[String]>([])
        private let timers: Timers

        init() {
            let timers = Timers()
            self.timers = timers
            interceptor = FaultInterceptor(
                FaultList(), after: { _, action in timers.add(action) }, run: { $0() })
        }

        func fireTimers() { timers.fire() }

        var log: [String] { events.withLock { $0 } }

        func send(_ name: String, _ service: FaultService = .route) {
            let note: @Sendable (String) -> Void = { [self] text in
                events.withLock { $0.append("\(name) \(text)") }
            }
            interceptor.pass(
                InterceptedCall(
                    subject: FaultSubject(service, path: "/\(name)"),
                    serve: { isAnswered, done in
                        note(isAnswered ? "served" : "served unanswered")
                        done(200)
                    }, fail: { note($0.name) }, reset: { note("reset") },
                    giveUp: { note("gave up") }))
        }
    }

    private final class Timers: Sendable {
        private let actions = Mutex<[@Sendable () -> Void]>([])
        func add(_ action: @escaping @Sendable () -> Void) {
            actions.withLock { $0.append(action) }
        }
        func fire() {
            let due = actions.withLock { actions in
                defer { actions = [] }
                return actions
            }
            for action in due { action() }
        }
    }

    private let stage = Stage()

    private func gate(
        _ arrivals: Int, _ order: GatePlan.Order = .arrival, isTogether: Bool = false
    ) {
        stage.interceptor.gates.add(
            GatePlan(FaultMatch(.route), arrivals: arrivals, order: order, isTogether: isTogether))
    }

    @Test(arguments: [
        (GatePlan.Order.arrival, ["a served", "b served", "c served"]),
        (.reverse, ["c served", "b served", "a served"]),
        (.numbers([2, 3, 1]), ["b served", "c served", "a served"]),
        (.numbers([1, 1, 2, 3]), ["a served", "a served unanswered", "b served", "c served"]),
        (.numbers([3]), ["a reset", "b reset", "c served"]),
        (.numbers([]), ["a reset", "b reset", "c reset"]),
    ])
    func `requests are released in the given order, duplicated or dropped`(
        order: GatePlan.Order, expected: [String]
    ) {
        gate(3, order)
        stage.send("a")
        stage.send("b")
        expectEqual(stage.log, [])
        stage.send("c")
        expectEqual(stage.log, expected)
        let gate = stage.interceptor.gates.all[0]
        #expect(gate.phase == .done && gate.arrived.count == 3)
        // The gate is done: further requests are not held.
        #expect(!stage.interceptor.isOn)
        stage.send("d")
        expectEqual(stage.log, expected + ["d served"])
    }

    @Test func `with --together all requests are released at once`() {
        gate(2, isTogether: true)
        stage.send("a")
        stage.send("b")
        expectEqual(Set(stage.log), ["a served", "b served"])
        expectEqual(stage.interceptor.gates.all[0].phase, .done)
    }

    @Test func `requests that do not match are not held`() {
        gate(2)
        stage.send("a")
        stage.send("x", .s3)
        expectEqual(stage.log, ["x served"])
    }

    @Test func `after the time-out the held requests are released`() {
        gate(3, .reverse)
        stage.send("a")
        stage.send("b")
        stage.fireTimers()
        expectEqual(stage.log, ["a served", "b served"])
        let gate = stage.interceptor.gates.all[0]
        #expect(gate.phase == .timedOut && gate.releases.map(\.arrival) == [1, 2])
        stage.send("c")
        expectEqual(stage.log.last, "c served")
    }

    @Test func `removing or opening a gate releases its requests`() {
        gate(2)
        stage.send("a")
        expectEqual(stage.interceptor.remove(gates: { _ in true }), [1])
        gate(2)
        stage.send("b")
        #expect(stage.interceptor.open(gate: 2))
        #expect(!stage.interceptor.open(gate: 2))
        expectEqual(stage.log, ["a served", "b served"])
    }

    @Test func `held requests are reset when the emulator stops`() {
        gate(2)
        stage.send("a")
        stage.interceptor.faults.add(FaultRule(FaultMatch(.s3), .hang))
        stage.send("h", .s3)
        stage.interceptor.faults.add(FaultRule(FaultMatch(.sts), .delay, milliseconds: 50))
        stage.send("d", .sts)
        expectEqual(stage.log, [])
        stage.interceptor.stop()
        expectEqual(stage.log.sorted(), ["a reset", "d reset", "h reset"])
        stage.fireTimers()
        expectEqual(stage.log.count, 3)
    }

    @Test func `faults apply to a held request when it is released`() {
        gate(2)
        stage.interceptor.faults.add(FaultRule(FaultMatch(.route, [(.path, "/b")]), .lose(.reset)))
        stage.send("a")
        stage.send("b")
        expectEqual(stage.log, ["a served", "b served unanswered", "b reset"])
    }

    // MARK: Effects

    @Test(arguments: [
        (FaultEffect.error("Forbidden"), ["a Forbidden"]),
        (.throttle, ["a TooManyRequests"]), (.reset, ["a reset"]),
        (.lose(.reset), ["a served unanswered", "a reset"]),
        (.lose(.error("GatewayTimeout")), ["a served unanswered", "a GatewayTimeout"]),
    ])
    func `effects without a delay happen at once`(effect: FaultEffect, expected: [String]) {
        stage.interceptor.faults.add(FaultRule(FaultMatch(.route), effect, count: 1))
        stage.send("a")
        expectEqual(stage.log, expected)
        stage.send("b")
        expectEqual(stage.log, expected + ["b served"])
    }

    @Test(arguments: [
        (FaultEffect.delay, ["a served"]), (.hang, ["a gave up"]),
        (.error("Forbidden"), ["a Forbidden"]),
        (.lose(.hang), ["a served unanswered", "a gave up"]),
    ])
    func `effects with a delay happen when the timer fires`(effect: FaultEffect, expected: [String])
    {
        stage.interceptor.faults.add(FaultRule(FaultMatch(.route), effect, milliseconds: 10))
        stage.send("a")
        expectEqual(stage.log.count, expected.count - 1)
        stage.fireTimers()
        stage.fireTimers()
        expectEqual(stage.log, expected)
    }

    @Test func `removing a fault serves delayed requests and ends hanging ones`() {
        stage.interceptor.faults.add(FaultRule(FaultMatch(.route), .delay, milliseconds: 10))
        stage.interceptor.faults.add(FaultRule(FaultMatch(.s3), .hang))
        stage.send("a")
        stage.send("b", .s3)
        stage.interceptor.remove(faults: { _ in true })
        expectEqual(stage.log, ["a served", "b reset"])
    }

    @Test func `the number of held requests is limited`() {
        stage.interceptor.faults.add(FaultRule(FaultMatch(.route), .hang))
        for _ in 0..<FaultLimits.heldMax { stage.send("a") }
        expectEqual(stage.log, [])
        stage.send("b")
        expectEqual(stage.log, ["b reset"])
    }
}

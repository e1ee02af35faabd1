import AuthTestSupport

/// The time, random choices and transcript that the clients, network, functions and store of a run
/// share.
final class SimulationContext: @unchecked Sendable {
    let scheduler: Scheduler
    var faults: FaultPlan
    private var number = 0
    let transcript: Transcript
    let coverage = Coverage()
    /// The first broken invariant, which ends the run.
    private(set) var violation: Violation?
    /// The only invariant that ends the run, for a mutation that also breaks others.
    var watched: Invariant?

    init(scheduler: Scheduler, faults: FaultPlan, transcript: Transcript) {
        self.scheduler = scheduler
        self.faults = faults
        self.transcript = transcript
    }

    /// Faults happen until this time, within the grace period of the refresh tokens. A client that
    /// gets no response for longer loses its session by design.
    var faultsUntil = Instant(seconds: 0)

    private var admitsFaults: Bool { scheduler.clock.now < faultsUntil }

    /// The number of faults so far.
    private(set) var faultCount = 0

    func happens(_ fault: Fault) -> Bool {
        guard admitsFaults, faults.happens(fault, &scheduler.random) else { return false }
        note(fault)
        return true
    }

    func first(of choices: [Fault]) -> Fault? {
        guard admitsFaults else { return nil }
        let fault = faults.first(of: choices, &scheduler.random)
        if let fault { note(fault) }
        return fault
    }

    /// Whether a service's own event happens, which is possible after faults have ended, too.
    func mayHappen(_ event: Fault) -> Bool {
        guard faults.happens(event, &scheduler.random) else { return false }
        transcript.add { "  \(event.name)" }
        return true
    }

    func happens(percent: UInt64) -> Bool { scheduler.random.happens(percent) }

    func nextNumber() -> Int {
        number += 1
        return number
    }

    private func note(_ fault: Fault) {
        faultCount += 1
        coverage.latest = fault
        transcript.add { "  fault: \(fault.name)" }
    }

    func violate(_ invariant: Invariant, _ text: @autoclosure () -> String) {
        guard violation == nil, watched == nil || watched == invariant else { return }
        violation = Violation(invariant: invariant, text: text(), step: scheduler.steps)
        transcript.add { "BROKEN: \(invariant.rawValue): \(self.violation?.text ?? "")" }
    }
}

package struct Violation: Equatable, Sendable {
    package let invariant: Invariant
    package let text: String
    package let step: Int
}

/// The events of a run, one a line, if a transcript is wanted.
final class Transcript {
    private(set) var lines: [String] = []
    private let isTold: Bool
    private var time: () -> String = { "" }

    init(isTold: Bool) { self.isTold = isTold }

    func follow(_ time: @escaping () -> String) { self.time = time }

    func add(_ line: () -> String) {
        if isTold { lines.append("\(time()) \(line())") }
    }
}

/// Counts how often each operation had each outcome after each fault.
final class Coverage {
    private(set) var counts: [String: Int] = [:]
    /// The latest fault since the last response.
    var latest: Fault?

    func add(_ operation: String, _ outcome: String) {
        counts["\(operation) \(outcome) \(latest?.name ?? "-")", default: 0] += 1
        latest = nil
    }
}

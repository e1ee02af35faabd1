import AuthDomain
import AuthOperations
import AuthTestSupport
import IdentityProviders
import KeyValueStore
import Synchronization
import TestSupport
import Testing
import Time

/// Every operation, with each of its store calls failing in each way: it fails closed with a clear
/// answer, nothing is lost, and when the fault is over the same request succeeds (ASVS 5.0 16.5.2
/// and 16.5.3).
@Suite("Faults") struct FaultTests {
    private static let unavailable = StoreFailure.unavailable(detail: "test")

    /// The faults of a store call.
    private enum Fault: CaseIterable, Sendable {
        /// Refused before anything is done: a network outage, throttling, a full disk.
        case refused
        /// Carried out, but the answer is lost.
        case answerLost
        /// Another request was first.
        case raceLost
        /// A response after the time of a timeout.
        case slow
    }

    /// The number of store calls of the request.
    private static func callCount(_ test: FaultCase) throws -> Int {
        let faults = try FaultKit()
        let request = try test.prepare(faults)
        faults.store.forgetCalls()
        _ = try request()
        return faults.store.calls.count
    }

    private struct Outcome {
        var error: AuthError?
        var token: String?
    }

    private static func outcome(_ request: () throws -> String?) throws -> Outcome {
        do {
            return Outcome(token: try request())
        } catch let error as AuthError {
            return Outcome(error: error)
        }
    }

    @Test(arguments: FaultCase.all)
    func `fails closed at each store call, and succeeds afterwards`(_ test: FaultCase) throws {
        let count = try Self.callCount(test)
        #expect(count > 0)
        for index in 0..<count {
            for fault in Fault.allCases { try check(test, index, fault) }
        }
    }

    private func check(_ test: FaultCase, _ index: Int, _ fault: Fault) throws {
        let note: Comment = "\(test.name): \(fault) at call \(index)"
        let faults = try FaultKit()
        let request = try test.prepare(faults)
        let position = Mutex(0)
        let clock = faults.clock
        faults.store.setFate { call in
            let isDue = position.withLock { position in
                position += 1
                return position - 1 == index
            }
            guard isDue else { return .fine }
            switch (fault, call) {
            case (.refused, _): return .refused(Self.unavailable)
            case (.answerLost, _): return .answerLost
            case (.raceLost, .write): return .refused(.conditionFailed)
            case (.raceLost, _): return .fine
            case (.slow, _):
                clock.advance(by: .seconds(20))
                return .fine
            }
        }
        let first = try Self.outcome(request)
        faults.store.comeBack()
        switch (fault, first.error) {
        case (.refused, let error), (.answerLost, let error):
            // A failed call that the response does not need is no error; any error must be clear.
            if let error { expectEqual(error, .unavailable(.store), note) }
        case (.raceLost, let error?):
            #expect(error == .unavailable(.contention) || error.saysAlreadyDone, note)
        case (.slow, let error): expectEqual(error, nil, note)
        case (.raceLost, nil): break
        }
        try expectCommitted(first, faults, note)

        let second = try Self.outcome(request)
        if let error = second.error {
            #expect(error.saysAlreadyDone, note)
            // Nothing was done, so the response must not be a success.
            #expect(fault != .refused || first.error == nil, note)
        }
        try expectCommitted(second, faults, note)
    }

    /// A token in a response belongs to a session in the store.
    private func expectCommitted(
        _ outcome: Outcome, _ faults: FaultKit, _ note: Comment
    ) throws {
        guard let token = outcome.token else { return }
        #expect(throws: Never.self, note) { try faults.kit.authenticate(token) }
    }

    @Test(arguments: FaultCase.all)
    func `a store that is down refuses everything and loses nothing`(_ test: FaultCase) throws {
        let faults = try FaultKit()
        let request = try test.prepare(faults)
        faults.store.goDown()
        for _ in 0..<3 {
            try expectEqual(Self.outcome(request).error, .unavailable(.store))
        }
        faults.store.comeBack()
        try expectEqual(Self.outcome(request).error, nil)
    }

    @Test(arguments: FaultCase.all, [Span.days(-400), .hours(-2), .hours(2), .days(4000)])
    func `a clock that jumps during a request ends nothing for good`(
        _ test: FaultCase, _ jump: Span
    ) throws {
        for index in 0..<(try Self.callCount(test)) {
            let note: Comment = "\(test.name): \(jump.seconds) s at call \(index)"
            let faults = try FaultKit()
            let request = try test.prepare(faults)
            let position = Mutex(0)
            let clock = faults.clock
            faults.store.setFate { _ in
                let isDue = position.withLock { position in
                    position += 1
                    return position - 1 == index
                }
                if isDue { clock.advance(by: jump) }
                return .fine
            }
            let first = try Self.outcome(request)
            faults.store.comeBack()
            if case .fault(let fault)? = first.error {
                Issue.record("\(fault) \(note)")
            }
            guard first.error != nil else { continue }
            clock.advance(by: .milliseconds(-jump.milliseconds))
            let second = try Self.outcome(request)
            #expect(second.error == nil || second.error?.saysAlreadyDone == true, note)
        }
    }
}

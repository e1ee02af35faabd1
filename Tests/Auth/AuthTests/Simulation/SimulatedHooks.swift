import AuthDomain
import AuthOperations
import AuthTestSupport
import JSON
import Synchronization

/// Hooks that refuse, fail or answer late: other requests run in between.
final class SimulatedHooks: Sendable {
    private struct State {
        var random: SplitMix64
        var isOn: Bool
        var approvals: [String: Int] = [:]
        var refusals = 0
        var failures = 0
        var migrations = 0
    }

    private let state: Mutex<State>

    /// - Parameter isOn: otherwise everybody is allowed at once.
    init(seed: UInt64, isOn: Bool) {
        state = Mutex(State(random: SplitMix64(seed: seed), isOn: isOn))
    }

    /// From now on everybody is allowed.
    func turnOff() { state.withLock { $0.isOn = false } }

    /// How many sign-ins of the user were approved.
    func approvals(of user: UserID) -> Int { state.withLock { $0.approvals[user.text] ?? 0 } }

    var refusals: Int { state.withLock { $0.refusals } }
    var failures: Int { state.withLock { $0.failures } }
    /// How often the old system has known a user.
    var migrations: Int { state.withLock { $0.migrations } }

    var services: HookServices {
        HookServices(
            HookKind.allCases.map { kind in
                HookServices.Hook(kind, failsOpen: false) { event throws(HookFailure) in
                    try self.answer(event)
                }
            })
    }

    private func answer(_ event: HookEvent) throws(HookFailure) -> [UInt8] {
        let (fate, pauses, isOn) = state.withLock { state in
            state.isOn
                ? (state.random.next(below: 10), state.random.next(below: 4), true) : (9, 0, false)
        }
        for _ in 0..<pauses { Interleaving.pause() }
        if event.kind == .migrate {
            return isOn ? try knows(event, fate) : Array(#"{"isRight":false}"#.utf8)
        }
        if event.kind == .token { return try claims(event, fate) }
        switch fate {
        case 0:
            state.withLock { $0.failures += 1 }
            throw .timedOut
        case 1:
            state.withLock { $0.refusals += 1 }
            return Array(#"{"decision":"refuse","reason":"simulated"}"#.utf8)
        default:
            let user = (try? JSON.parse(event.bytes, limits: .request))?["user"]?["id"]?.stringValue
            if event.kind == .beforeSignIn, let user {
                state.withLock { $0.approvals[user, default: 0] += 1 }
            }
            return Array(#"{"decision":"allow"}"#.utf8)
        }
    }

    /// The user's own name, or an attempt to make the token that of another user.
    private func claims(_ event: HookEvent, _ fate: UInt64) throws(HookFailure) -> [UInt8] {
        let user = (try? JSON.parse(event.bytes, limits: .request))?["user"]?["id"]?.stringValue
        switch fate {
        case 0:
            state.withLock { $0.failures += 1 }
            throw .timedOut
        case 1:
            state.withLock { $0.refusals += 1 }
            return Array(#"{"claims":{"sub":"\#(Self.otherUser)"}}"#.utf8)
        default: return Array(#"{"claims":{"member":"\#(user ?? "")"}}"#.utf8)
        }
    }

    /// The system that the application had before knows the first password of each person, and says
    /// of some that they have proven their address.
    private func knows(_ event: HookEvent, _ fate: UInt64) throws(HookFailure) -> [UInt8] {
        let json = try? JSON.parse(event.bytes, limits: .request)
        if fate == 0 {
            state.withLock { $0.failures += 1 }
            throw .timedOut
        }
        let isRight = (0..<3).contains { person in
            json?["user"]?["email"]?.stringValue == "person\(person)@example.com"
                && json?["password"]?.stringValue == "password \(person) first"
        }
        guard isRight else { return Array(#"{"isRight":false}"#.utf8) }
        state.withLock { $0.migrations += 1 }
        return Array(#"{"isRight":true,"isEmailVerified":\#(fate > 5)}"#.utf8)
    }

    private static let otherUser = "00000000-0000-4000-8000-000000000000"
}

import AuthOperations
import JSON

/// The functions of the app that are asked (docs/hooks.md): they refuse, fail, answer late, and
/// know the users of a former system.
final class AppHooks: @unchecked Sendable {
    /// A bug of the functions that ask.
    enum Flaw: Sendable { case ignoresRefusals, ignoresFailures, doesNotAsk, mixesClaimsUp }

    private let context: SimulationContext
    private let running: RunningFunctions
    private let flaw: Flaw?
    /// Addresses and passwords of the former system.
    private let formerUsers: [String: String]
    /// How many sign-ins of each account were approved.
    private(set) var approvals: [String: Int] = [:]
    private var waiting = 0
    /// A function waits for a hook: others may be refused, because each may hang.
    var isSlow: Bool { waiting > 0 }
    /// The account that the latest claims were for.
    private var latest = ""

    init(
        _ context: SimulationContext, _ running: RunningFunctions, formerUsers: [String: String],
        flaw: Flaw?
    ) {
        self.context = context
        self.running = running
        self.formerUsers = formerUsers
        self.flaw = flaw
    }

    var services: HookServices {
        let kinds: [HookKind] = [.beforeSignUp, .beforeSignIn, .token, .migrate]
        let asked = flaw == .doesNotAsk ? kinds.filter { $0 != .beforeSignIn } : kinds
        return HookServices(
            asked.map { kind in
                HookServices.Hook(kind, failsOpen: flaw == .ignoresFailures) {
                    event throws(HookFailure) in try self.answer(event)
                }
            })
    }

    private func answer(_ event: HookEvent) throws(HookFailure) -> [UInt8] {
        if context.happens(.hookLate) {
            waiting += 1
            running.waitForStore()
            waiting -= 1
        }
        if context.happens(.hookFails) {
            running.refuse()
            throw .timedOut
        }
        let body = try? JSON.parse(event.bytes, limits: .request)
        let user = body?["user"]?["id"]?.stringValue ?? ""
        switch event.kind {
        case .migrate: return Array(#"{"isRight":\#(isRight(body))}"#.utf8)
        case .token:
            // Claims that would make the token another user's are a failure of the hook.
            if context.happens(.hookRefuses) {
                running.refuse()
                return Array(#"{"claims":{"sub":"00000000-0000-4000-8000-000000000000"}}"#.utf8)
            }
            defer { latest = user }
            let named = flaw == .mixesClaimsUp && !latest.isEmpty ? latest : user
            return Array(#"{"claims":{"member":"\#(named)"}}"#.utf8)
        default:
            if context.happens(.hookRefuses) {
                running.refuse()
                if flaw != .ignoresRefusals {
                    return Array(#"{"decision":"refuse","reason":"simulated"}"#.utf8)
                }
            } else if event.kind == .beforeSignIn {
                approvals[user, default: 0] += 1
            }
            return Array(#"{"decision":"allow"}"#.utf8)
        }
    }

    private func isRight(_ body: JSON?) -> Bool {
        guard let email = body?["user"]?["email"]?.stringValue,
            let password = formerUsers[email]
        else { return false }
        return body?["password"]?.stringValue == password
    }
}

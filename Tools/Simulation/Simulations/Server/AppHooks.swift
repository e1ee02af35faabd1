import AuthTestSupport

/// The app's hooks (docs/hooks.md): they refuse, fail, answer late, and know the users of a former
/// system.
final class AppHooks: @unchecked Sendable {
    /// A bug in the functions that call the hooks.
    enum Flaw: Sendable {
        case ignoresRefusals, ignoresFailures, doesNotAsk, mixesClaimsUp
        // Bugs that concern programs of other parties.
        case letsProgramsIn, forgetsConsent, forgetsStepUp, doesNotAskAboutPrograms
    }

    /// An answer of the hook `authorize` about a program.
    struct Advice: Equatable {
        enum Decision: String { case allow, refuse, consent, stepUp }

        let user: String
        let client: String
        let decision: Decision

        /// Whether the request may continue without another call of the hook.
        var isAgreement: Bool { decision == .allow || decision == .consent }
    }

    private let context: SimulationContext
    private let running: RunningFunctions
    private let flaw: Flaw?
    private let features: Set<Feature>
    /// The answers of the hook to the functions that are running, by their depth.
    private var advice: [Int: [Advice]] = [:]
    /// The addresses and passwords of the former system's users.
    private let formerUsers: [String: String]
    /// How many sign-ins of each account were approved.
    private(set) var approvals: [String: Int] = [:]
    private var waiting = 0
    /// Whether a function waits for a hook. Other requests may then be refused, because each may
    /// hang.
    var isSlow: Bool { waiting > 0 }
    /// The account for which claims were last requested.
    private var latest = ""

    init(
        _ context: SimulationContext, _ running: RunningFunctions, formerUsers: [String: String],
        _ features: Set<Feature>, flaw: Flaw?
    ) {
        self.features = features
        self.context = context
        self.running = running
        self.formerUsers = formerUsers
        self.flaw = flaw
    }

    var services: HookServices {
        let kinds: [HookKind] =
            (features.contains(.hooks) ? [.beforeSignUp, .beforeSignIn, .token, .migrate] : [])
            + (features.contains(.authorizeHook) ? [.authorize] : [])
        let asked = kinds.filter { kind in
            !(flaw == .doesNotAsk && kind == .beforeSignIn)
                && !(flaw == .doesNotAskAboutPrograms && kind == .authorize)
        }
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
        case .authorize: return authorize(user, body)
        case .token:
            // Returns claims that would replace the token's user. The functions treat this as a
            // failure of the hook.
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

    // MARK: Programs of other parties

    private func authorize(_ user: String, _ body: JSON?) -> [UInt8] {
        let client = body?["application"]?["id"]?.stringValue ?? ""
        let decision = decision(provenAt: body?["authTime"]?.int64Value ?? 0)
        advice[running.depth, default: []].append(
            Advice(user: user, client: client, decision: decision))
        let isForgotten =
            switch (flaw, decision) {
            case (.letsProgramsIn, .refuse), (.forgetsConsent, .consent),
                (.forgetsStepUp, .stepUp):
                true
            default: false
            }
        let answer = isForgotten ? Advice.Decision.allow : decision
        return Array(#"{"decision":"\#(answer.rawValue)"}"#.utf8)
    }

    private func decision(provenAt: Int64) -> Advice.Decision {
        if context.happens(.programRefused) {
            running.refuse()
            return .refuse
        }
        if context.happens(.consentDemanded) { return .consent }
        // A person with a recent proof is not asked for another one.
        let isOld = provenAt < context.scheduler.clock.now.seconds
        return isOld && context.happens(.stepUpDemanded) ? .stepUp : .allow
    }

    /// Removes and returns the answers to the function that has just ended.
    func takeAdvice() -> [Advice] { advice.removeValue(forKey: running.depth) ?? [] }

    /// Whether a running function may still grant access to the program.
    func mayAgree(to client: String, for user: String) -> Bool {
        advice.values.joined().contains {
            $0.client == client && $0.user == user && $0.isAgreement
        }
    }

    private func isRight(_ body: JSON?) -> Bool {
        guard let email = body?["user"]?["email"]?.stringValue,
            let password = formerUsers[email]
        else { return false }
        return body?["password"]?.stringValue == password
    }
}

import JSON

/// Nobody signs in without the consent of the app's hook, and each access token has the claims that
/// the hook has returned for its user. See also `FunctionStore`: a request that was refused writes
/// neither an account nor a session.
struct HookDecides: Observer {
    let invariant = Invariant.hookDecides
    private let hooks: AppHooks
    private var signIns: [String: Int] = [:]
    private static let others: Set<String> = [
        "POST /auth/guest", "POST /auth/change-password", "POST /auth/totp/confirm",
        "POST /auth/totp/remove", "POST /auth/merge", "POST /auth/ui/token",
    ]

    init(_ hooks: AppHooks) { self.hooks = hooks }

    mutating func judge(_ seen: Seen, _ facts: Facts) -> String? {
        guard let issued = seen.issued else { return nil }
        let name = seen.exchange.operation
        if let member = issued.claims["member"]?.stringValue, member != issued.user {
            return "\(name) gave a token with claims for another user"
        }
        guard seen.isNewSession, !Self.others.contains(name), !name.hasPrefix("DELETE ") else {
            return nil
        }
        signIns[issued.user, default: 0] += 1
        guard signIns[issued.user] ?? 0 > hooks.approvals[issued.user] ?? 0 else { return nil }
        return "\(name) began a session without the approval of the hook"
    }
}

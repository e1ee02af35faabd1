import AuthDomain
import JSON
import Time

extension InvariantChecker {
    // MARK: Ends

    func end(_ session: String, _ why: String) {
        guard sessions[session]?.endedAt == nil else { return }
        sessions[session]?.endedAt = context.scheduler.steps
        sessions[session]?.end = why
    }

    /// - Parameter kept: the session that continues.
    func endAll(of user: String, but kept: String? = nil, _ why: String, startedAt: Int) {
        for (session, fact) in sessions
        where fact.user == user && session != kept && fact.begunAt < startedAt {
            end(session, why)
        }
    }

    func noteEnds(_ exchange: Exchange, issued: String?) {
        let bearer = exchange.bearer.flatMap { accesses[$0] }
        switch exchange.operation {
        case "POST /auth/signout":
            signedOut[exchange.origin.process] = bearer?.session
            let named = exchange.body["refreshToken"]?.stringValue.flatMap { refreshes[$0] }
            guard let session = named ?? bearer?.session, let user = sessions[session]?.user,
                isAlive(session)
            else { return }
            let isProven = bearer.map {
                $0.session == session && $0.expiresAt > now.seconds
                    && !doubtful.contains(exchange.number)
            }
            switch exchange.body["scope"]?.stringValue ?? "session" {
            case "all" where isProven == true:
                acknowledge(.signedOutEverywhere, user)
                endAll(of: user, "signed out everywhere", startedAt: exchange.startedAt)
            case "others":
                endAll(
                    of: user, but: session, "signed out elsewhere", startedAt: exchange.startedAt)
            case "all": break
            default: end(session, "signed out")
            }
        case "POST /auth/change-password":
            guard let user = bearer?.user else { return }
            acknowledge(.passwordChanged, user)
            endAll(of: user, but: issued, "password changed", startedAt: exchange.startedAt)
        case "POST /auth/reset-password":
            guard let user = mails.user(of: exchange.body) else { return }
            acknowledge(.passwordReset, user)
            endAll(of: user, "password reset", startedAt: exchange.startedAt)
        case "DELETE /auth/account":
            guard let user = bearer?.user else { return }
            endAll(of: user, "account deleted", startedAt: exchange.startedAt)
            noteDeletion(of: user)
        default:
            guard exchange.operation.hasPrefix("DELETE /auth/sessions/"),
                let id = exchange.operation.split(separator: "/").last.map(String.init)
            else { return }
            end(id, "ended from another device")
        }
    }

    private func acknowledge(_ event: AuditEvent, _ user: String) {
        acknowledged[user, default: [:]][event, default: 0] += 1
    }

    // MARK: What works once

    static let once: Set<String> = [
        "POST /auth/signin", "POST /auth/verify-email", "POST /auth/magic-link/redeem",
        "POST /auth/reset-password",
    ]

    func checkSingleUse(_ exchange: Exchange) {
        var once: [String] = []
        switch exchange.operation {
        case "POST /auth/signin":
            // Without a nonce of the functions, a token works until it expires, by design.
            guard policy.identity.nonce == .issued else { return }
            once = ["nonce", "idToken"].compactMap { name in
                exchange.body[name]?.stringValue.map { "\(name) \($0)" }
            }
        case "POST /auth/verify-email", "POST /auth/magic-link/redeem", "POST /auth/reset-password":
            once = mails.number(of: exchange.body).map { ["mail \($0)"] } ?? []
        default: return
        }
        useUp(once, exchange)
    }

    /// - Parameter once: what works once, the kind of it first.
    func useUp(_ once: [String], _ exchange: Exchange) {
        for value in once {
            uses[value, default: 0] += 1
            if uses[value] ?? 0 > 1 {
                let kind = value.prefix { $0 != " " }
                context.violate(.singleUse, "\(exchange.operation) twice with the same \(kind)")
            }
        }
    }
}

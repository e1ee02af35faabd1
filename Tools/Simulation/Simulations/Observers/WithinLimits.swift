import AuthDomain
import JSON
import Time

/// No rate limit is exceeded.
struct WithinLimits: Observer {
    let invariant = Invariant.withinLimits
    /// How many requests were processed in each window of each rate limit.
    private var counts: [String: Int64] = [:]

    private static let operations = [
        "POST /auth/login": "login", "POST /auth/register": "register",
        "POST /auth/forgot-password": "forgotPassword", "POST /auth/refresh": "refresh",
        "POST /auth/magic-link": "requestMagicLink", "POST /auth/signin": "signIn",
        "POST /auth/resend-verification": "resendVerification",
        "POST /auth/challenge": "challenge", "POST /auth/signout": "signOut",
        "POST /auth/guest": "createGuest",
    ]

    mutating func judge(_ seen: Seen, _ facts: Facts) -> String? {
        let exchange = seen.exchange
        guard (200..<500).contains(exchange.status), ![400, 429].contains(exchange.status),
            let name = Self.operations[exchange.operation]
        else { return nil }
        for limit in facts.policy.limits where limit.operation.name == name {
            let subject: String?
            switch limit.subject {
            case .address: subject = exchange.origin.address
            case .email: subject = exchange.body["email"]?.stringValue
            case .account, .session, .client, .overall: subject = nil
            }
            guard let subject else { continue }
            let window = facts.now.milliseconds / limit.window.milliseconds
            let key = "\(limit.name) \(subject) \(window)"
            counts[key, default: 0] += 1
            if counts[key] ?? 0 > limit.requestsMax {
                return "\(limit.name): more than \(limit.requestsMax) in \(limit.window.seconds) s"
            }
        }
        return nil
    }
}

import AuthDomain
import JSON
import Time

/// Every single-use secret works only once.
struct SingleUse: Observer {
    let invariant = Invariant.singleUse
    private var used: Set<String> = []
    /// The session that each ticket of a merge has opened.
    private var merges: [String: String] = [:]

    /// A thief who has seen one of these requests sends it again.
    static let replayed: Set<String> = [
        "POST /auth/signin", "POST /auth/verify-email", "POST /auth/magic-link/redeem",
        "POST /auth/reset-password",
    ]
    private static let mailed: Set<String> = [
        "POST /auth/verify-email", "POST /auth/magic-link/redeem", "POST /auth/reset-password",
        "POST /auth/email/confirm", "POST /auth/methods/password/confirm",
        "POST /auth/email/undo", "POST /auth/undo",
    ]

    mutating func judge(_ seen: Seen, _ facts: Facts) -> String? {
        guard seen.exchange.isSuccess else { return nil }
        for name in names(seen, facts) where !used.insert(name).inserted {
            let kind = name.prefix { $0 != " " }
            return "\(seen.exchange.operation) succeeded twice with the same \(kind)"
        }
        guard seen.exchange.operation == "POST /auth/merge", let issued = seen.issued,
            let ticket = seen.exchange.body["merge"]?.stringValue
        else { return nil }
        // A repetition returns the same session, as it does for refresh tokens.
        let opened = merges[ticket, default: issued.session]
        merges[ticket] = opened
        return opened == issued.session
            ? nil : "\(seen.exchange.operation) succeeded twice with the same ticket"
    }

    /// The names of the secrets that the request uses up, each with its kind as a prefix.
    private func names(_ seen: Seen, _ facts: Facts) -> [String] {
        let exchange = seen.exchange
        func values(_ members: String...) -> [String] {
            members.compactMap { name in
                exchange.body[name]?.stringValue.map { "\(name) \($0)" }
            }
        }
        if Self.mailed.contains(exchange.operation) {
            return facts.mails.letter(of: exchange.body).map { ["mail \($0.number)"] } ?? []
        }
        switch exchange.operation {
        // Without a server nonce, an identity token works until it expires, by design.
        case "POST /auth/signin":
            return facts.policy.identity.nonce == .issued ? values("nonce", "idToken") : []
        case "POST /auth/ui/token": return values("code")
        // A ceremony begins with the ticket but does not use it up.
        case "POST /auth/passkeys/options": return []
        case "POST /auth/second-factor":
            // The same digits occur again after some time.
            let code = values("code").map {
                "\($0) \(seen.issued?.user ?? "") \(facts.now.seconds / 600)"
            }
            return values("ceremony", "ticket") + code
        default: return values("ceremony", "ticket")
        }
    }
}

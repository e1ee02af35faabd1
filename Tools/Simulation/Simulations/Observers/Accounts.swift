import JSON

/// A session is only issued to a person who has proven that they own the account, and a sign-in
/// method does not move to another account.
struct OwnAccount: Observer {
    let invariant = Invariant.ownAccount
    /// The account of each address and each identity of a provider.
    private var identities: [String: String] = [:]

    mutating func judge(_ seen: Seen, _ facts: Facts) -> String? {
        guard let issued = seen.issued else { return nil }
        let exchange = seen.exchange
        if exchange.operation == "POST /auth/passkeys/signin",
            let passkey = FactorFacts.passkey(in: exchange.body),
            let owner = facts.factors.passkeys[passkey], owner != issued.user
        {
            return "a passkey opened another account than before"
        }
        guard seen.isNewSession else { return nil }
        let person = exchange.origin.person
        let owner = facts.accounts.owner(of: issued.user, after: exchange)
        if !exchange.origin.isThief, owner != person {
            return "\(exchange.operation) gave person \(person) an account of person \(owner)"
        }
        guard let subject = Self.subject(exchange) else { return nil }
        defer { identities[subject] = issued.user }
        guard let other = identities[subject], other != issued.user,
            !facts.accounts.mayBeGone(other), !facts.changes.hasEver(other)
        else { return nil }
        return "an identity has another account than before"
    }

    private static func subject(_ exchange: Exchange) -> String? {
        switch exchange.operation {
        case "POST /auth/signin":
            let parts = exchange.body["idToken"]?.stringValue?.split(separator: "|") ?? []
            return parts.count > 1 ? "\(parts[0])|\(parts[1])" : nil
        case "POST /auth/verify-email", "POST /auth/login", "POST /auth/magic-link/redeem":
            return exchange.answer?["user"]?["email"]?.stringValue
        default: return nil
        }
    }
}

/// No account with a second factor can be opened with one factor.
struct SecondFactorAsked: Observer {
    let invariant = Invariant.secondFactorAsked
    private static let firstFactors: Set<String> = [
        "POST /auth/login", "POST /auth/signin", "POST /auth/magic-link/redeem",
    ]

    func judge(_ seen: Seen, _ facts: Facts) -> String? {
        guard let issued = seen.issued, Self.firstFactors.contains(seen.exchange.operation),
            facts.factors.enabled[issued.user].map({ $0 < seen.exchange.startedAt }) ?? false
        else { return nil }
        return "\(seen.exchange.operation) began a session with one factor"
    }
}

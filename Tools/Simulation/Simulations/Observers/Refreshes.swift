import JSON
import Time

/// A refresh token has one successor.
struct OneSuccessor: Observer {
    let invariant = Invariant.oneSuccessor

    func judge(_ seen: Seen, _ facts: Facts) -> String? {
        guard facts.rotates, seen.exchange.isSuccess, let token = seen.refresh?.token,
            let next = seen.exchange.answer?["refreshToken"]?.stringValue
        else { return nil }
        if next == token { return "a refresh returned the token that it spent" }
        guard let known = facts.sessions.spent[token]?.successors, !known.contains(next) else {
            return nil
        }
        return "one refresh token has two successors"
    }
}

/// After the grace period, a spent refresh token is refused.
struct SpentIsRefused: Observer {
    let invariant = Invariant.spentIsRefused

    func judge(_ seen: Seen, _ facts: Facts) -> String? {
        guard facts.rotates, seen.exchange.isSuccess, let token = seen.refresh?.token,
            seen.exchange.answer?["refreshToken"]?.stringValue != nil,
            let spending = facts.sessions.spent[token],
            spending.at + facts.grace + .seconds(1) < facts.now
        else { return nil }
        return "a token that was spent \((facts.now - spending.at).seconds) s ago was accepted"
    }
}

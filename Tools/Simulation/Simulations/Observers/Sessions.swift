import Time

/// The tokens of a session are refused after its acknowledged end.
struct RevokedStaysRevoked: Observer {
    let invariant = Invariant.revokedStaysRevoked
    /// A request that has ended its session can be repeated.
    static let repeatable: Set<String> = ["POST /auth/signout", "POST /auth/merge"]

    func judge(_ seen: Seen, _ facts: Facts) -> String? {
        let exchange = seen.exchange
        guard exchange.isSuccess else { return nil }
        let name = exchange.operation
        if let presented = seen.presented, !Self.repeatable.contains(name) {
            if let end = facts.end(of: presented.session, before: exchange) {
                return "\(name) accepted an access token of a session that had ended (\(end))"
            }
            if facts.keys.isRetired(presented.key, at: facts.now) {
                return "\(name) accepted a token of a retired key"
            }
        }
        if let session = seen.refresh?.session, let end = facts.end(of: session, before: exchange) {
            return "a refresh succeeded for a session that had ended (\(end))"
        }
        return beginning(seen, facts)
    }

    private func beginning(_ seen: Seen, _ facts: Facts) -> String? {
        guard let issued = seen.issued else { return nil }
        let (exchange, name) = (seen.exchange, seen.exchange.operation)
        if seen.isNewSession,
            facts.accounts.closing(of: issued.user, before: exchange) != nil
        {
            return "\(name) began a session of a deleted or disabled account"
        }
        if name == "POST /auth/ui/token",
            let end = facts.end(of: issued.session, before: exchange)
        {
            return "a code of the pages opened a session that had ended (\(end))"
        }
        guard name == "POST /auth/passkeys/signin",
            let passkey = FactorFacts.passkey(in: exchange.body),
            let removedAt = facts.factors.removed[passkey], removedAt < exchange.startedAt
        else { return nil }
        return "a sign-in succeeded with a passkey that was removed"
    }
}

/// An expired access token is refused.
struct ExpiredIsRefused: Observer {
    let invariant = Invariant.expiredIsRefused

    func judge(_ seen: Seen, _ facts: Facts) -> String? {
        guard seen.exchange.isSuccess, let presented = seen.presented,
            !RevokedStaysRevoked.repeatable.contains(seen.exchange.operation),
            presented.expiresAt + 60 < facts.now.seconds
        else { return nil }
        return "\(seen.exchange.operation) accepted an expired access token"
    }
}

/// A refresh token of an honest app is never refused as invalid, unless somebody has asked to end
/// the session.
struct HonestStaysSignedIn: Observer {
    let invariant = Invariant.honestStaysSignedIn

    func judge(_ seen: Seen, _ facts: Facts) -> String? {
        // A repetition after the token's successor was spent ends the session, because it cannot be
        // distinguished from a stolen token.
        guard seen.exchange.refusesRefresh, !seen.exchange.origin.isRepetition,
            let refresh = seen.refresh, facts.mustGoOn(refresh.session)
        else { return nil }
        let age = facts.sessions.spent[refresh.token].map {
            "spent \((facts.now - $0.at).milliseconds) ms ago"
        }
        return "a refresh token was refused, \(age ?? "the latest one")"
    }
}

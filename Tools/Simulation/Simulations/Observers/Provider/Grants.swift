import JSON
import Time

/// A grant issues no tokens after its acknowledged end.
struct GrantStaysEnded: Observer {
    let invariant = Invariant.grantStaysEnded

    func judge(_ seen: Seen, _ facts: Facts) -> String? {
        guard let seen = seen.provider else { return nil }
        let (exchange, name) = (seen.exchange, seen.exchange.operation)
        if let grant = seen.grantInUse, let end = facts.endOfGrant(grant, before: exchange) {
            return "\(name) accepted a token of a grant that had ended (\(end))"
        }
        if seen.grantInUse != nil, let token = seen.presented, token.isOwn,
            let end = facts.endOfOwn(token, before: exchange)
        {
            return "\(name) accepted a program's own token that had ended (\(end))"
        }
        if let given = seen.given {
            let session = String(given.code.split(separator: ".").last ?? "")
            if let end = facts.end(of: session, before: exchange) {
                return "a code was given in a session that had ended (\(end))"
            }
        }
        guard let code = seen.code, let issued = seen.issued else { return nil }
        if let end = facts.end(of: code.fact.session, before: exchange) {
            return "a code of an ended session was accepted (\(end))"
        }
        if facts.provider.grantEnds.hasEnded(
            issued.client, givenAt: code.fact.givenAt, before: exchange.startedAt)
        {
            return "a code from before the end was accepted (\(Facts.allEnded))"
        }
        if facts.accounts.closing(of: issued.user, before: exchange) != nil
            || facts.provider.isDisabled(issued.client, before: exchange.startedAt)
        {
            return "a grant began for a closed account or client"
        }
        return nil
    }
}

/// Every token requires a user's earlier consent that was not withdrawn.
struct ConsentPrecedes: Observer {
    let invariant = Invariant.consentPrecedes

    func judge(_ seen: Seen, _ facts: Facts) -> String? {
        guard let seen = seen.provider else { return nil }
        if let given = seen.given, let program = facts.provider.programs[given.asked.client],
            !program.isFirstParty, !facts.provider.recognises(program, for: given.asked),
            seen.exchange.operation != "POST /auth/ui/consent"
        {
            return "a user was not asked about a client that anyone can imitate"
        }
        guard let issued = seen.issued,
            let asked = seen.code?.fact.asked ?? seen.refresh?.fact.asked
                ?? seen.device?.fact.asked ?? facts.provider.grants[issued.grant]?.asked
        else { return nil }
        let granted = asked.resources.union([ProviderSettings.issuer])
        guard let audience = issued.audience, granted.contains(audience) else {
            return "a token is for \(issued.audience ?? "several"), which nobody was asked about"
        }
        if !issued.scope.isSubset(of: asked.scope) { return "a token has more than was asked for" }
        guard let code = seen.code, let program = facts.provider.programs[asked.client],
            !program.isFirstParty
        else { return nil }
        let pair = ProviderFacts.Pair(user: issued.user, client: asked.client)
        return facts.provider.hasConsent(pair, to: asked, at: code.fact.step)
            ? nil : "\(asked.client) got tokens without the user's consent"
    }
}

/// The rules for users' refresh tokens also apply to clients' refresh tokens.
struct GrantHasOneSuccessor: Observer {
    let invariant = Invariant.oneSuccessor

    func judge(_ seen: Seen, _ facts: Facts) -> String? {
        guard let refresh = seen.provider?.refresh, let next = seen.provider?.refreshIssued else {
            return nil
        }
        if next == refresh.token { return "a client's refresh returned the token that it spent" }
        guard let known = facts.provider.spent[refresh.token]?.successors, !known.contains(next)
        else { return nil }
        return "one refresh token of a client has two successors"
    }
}

struct SpentGrantIsRefused: Observer {
    let invariant = Invariant.spentIsRefused

    func judge(_ seen: Seen, _ facts: Facts) -> String? {
        guard let refresh = seen.provider?.refresh, seen.provider?.issued != nil,
            let spending = facts.provider.spent[refresh.token],
            spending.at + facts.grace + .seconds(1) < facts.now
        else { return nil }
        let age = (facts.now - spending.at).seconds
        return "a client's token that was spent \(age) s ago was accepted"
    }
}

/// An honest client does not lose its access, unless somebody has asked to end it.
struct AccessIsKept: Observer {
    let invariant = Invariant.accessIsKept

    func judge(_ seen: Seen, _ facts: Facts) -> String? {
        guard let seen = seen.provider, !seen.exchange.origin.isRepetition,
            !seen.exchange.origin.isThief
        else { return nil }
        // A client assertion that arrived twice is refused with an error of client authentication.
        let isClientRefused =
            seen.refusal == "invalid_client" && seen.fields["client_assertion"] == nil
            && !facts.provider.secretEnds.mayHaveEnded(seen.secret)
        if seen.refusal == "invalid_grant" || isClientRefused, seen.isRight {
            if let code = seen.code, facts.mustExchange(code.fact) {
                return "a client's code was refused"
            }
            if let refresh = seen.refresh, facts.mustKeep(refresh.grant) {
                return "a client's refresh token was refused"
            }
        }
        guard let token = seen.presented, Self.isRefused(seen, token), facts.mustKeep(token),
            facts.isAlive(token)
        else { return nil }
        return "\(seen.exchange.operation) refused a token of a grant that is alive"
    }

    /// Whether a server that the token is intended for has refused it.
    private static func isRefused(_ seen: ProviderSeen, _ token: ClientToken) -> Bool {
        let hasProof = seen.isProven(token) && (token.boundTo == nil || seen.hasRightProof)
        if seen.isOfGateway {
            return hasProof && token.audience == seen.resource && seen.exchange.status == 401
        }
        return switch seen.exchange.operation {
        case "GET /oauth/userinfo":
            hasProof && token.audience == ProviderSettings.issuer && seen.exchange.status == 401
        case "POST /oauth/introspect":
            seen.isProven && seen.client?.resource == token.audience
                && seen.exchange.answer?["active"]?.boolValue == false
        default: false
        }
    }
}

import Time

/// A code is exchanged for only one set of tokens, and a person's decision results in only one
/// code.
struct CodeGivesOnce: Observer {
    let invariant = Invariant.codeGivesOnce
    private var used: Set<String> = []
    private var answered: Set<String> = []

    mutating func judge(_ seen: Seen, _ facts: Facts) -> String? {
        guard let seen = seen.provider else { return nil }
        if seen.given != nil, let request = seen.fields["request"],
            !answered.insert(request).inserted
        {
            return "a request was answered with two codes"
        }
        guard let code = seen.code, let issued = seen.issued else { return nil }
        if !used.insert(code.text).inserted { return "a code gave tokens twice" }
        return facts.provider.grants[issued.grant] == nil
            ? nil : "a code gave tokens of a grant that already existed"
    }
}

/// A code or refresh token is accepted only from its client, authenticated as registered, and
/// grants no more than the registration allows.
struct ClientIsProven: Observer {
    let invariant = Invariant.clientIsProven

    func judge(_ seen: Seen, _ facts: Facts) -> String? {
        guard let seen = seen.provider else { return nil }
        if let given = seen.given, given.asked.method != "S256" {
            return "a code was given for a challenge by \(given.asked.method ?? "no method")"
        }
        if seen.exchange.isSuccess, let assertion = seen.fields["client_assertion"],
            facts.provider.assertions.contains(assertion)
        {
            return "\(seen.exchange.operation) accepted a client's assertion twice"
        }
        if seen.exchange.operation == "POST /oauth/introspect", seen.exchange.isSuccess,
            !seen.isProven
        {
            return "an unauthenticated client got information about a token"
        }
        guard let issued = seen.issued, let client = seen.client else { return nil }
        if !seen.isProven { return "tokens were given to an unauthenticated client" }
        if seen.fields["grant_type"] == Program.ownGrant { return judgeOwn(issued, client, seen) }
        if let code = seen.code {
            if code.fact.asked.client != client.id {
                return "a code of another client was accepted"
            }
            if !code.fact.asked.isProven(by: seen.fields["code_verifier"]) {
                return "a code was accepted with a wrong verifier"
            }
        }
        if let refresh = seen.refresh, refresh.fact.asked.client != client.id {
            return "a refresh token of another client was accepted"
        }
        return seen.refreshIssued != nil && !client.refreshes
            ? "a refresh token was given to a client that may not have one" : nil
    }

    /// Judges a token that a program got for itself.
    private func judgeOwn(
        _ issued: ClientToken, _ client: Program, _ seen: ProviderSeen
    ) -> String? {
        if !issued.isOwn || issued.user != client.id || seen.identity != nil {
            return "a token that a program has for itself names a user"
        }
        if seen.refreshIssued != nil {
            return "a refresh token was given with a program's own token"
        }
        let isRegistered =
            issued.scope.isSubset(of: client.scope)
            && issued.audience.map(client.targets.contains) ?? false
        return isRegistered ? nil : "a program's own token has more than it is registered for"
    }
}

/// The browser is redirected only to an address of the client, and an answer is given only to the
/// browser that has begun the request.
struct AnswerIsTheClients: Observer {
    let invariant = Invariant.answerIsTheClients

    func judge(_ seen: Seen, _ facts: Facts) -> String? {
        guard let seen = seen.provider, let redirect = seen.redirect, !redirect.isOfServer else {
            return nil
        }
        let asked =
            seen.given?.asked ?? seen.fields["request"].flatMap { facts.provider.waiting[$0] }
        let client = asked?.client ?? seen.fields["client_id"] ?? ""
        guard let program = facts.provider.programs[client],
            program.owns(redirect.address)
                || program.redirectURI.hasPrefix(redirect.address + "?")
                || Self.owned(redirect.address, client, since: asked?.at, facts)
        else { return "the browser is redirected to \(redirect.address), not to \(client)" }
        guard let asked, asked.device != seen.exchange.origin.device else { return nil }
        return "a request that another browser has begun was answered"
    }

    /// Whether the client's document may have contained the address.
    private static func owned(
        _ address: String, _ client: String, since start: Instant?, _ facts: Facts
    ) -> Bool {
        facts.provider.sites?.versions(of: client, usedFrom: start ?? facts.now, to: facts.now)
            .contains { $0.version.redirectURI == address } ?? false
    }
}

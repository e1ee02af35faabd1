import JSON

/// A token that is bound to a key is accepted only with a proof by that key for the request, and
/// each proof is accepted only once. A client that proves a key gets only tokens that are bound to
/// it.
struct KeyIsProven: Observer {
    let invariant = Invariant.keyIsProven

    func judge(_ seen: Seen, _ facts: Facts) -> String? {
        guard let seen = seen.provider, seen.exchange.isSuccess else { return nil }
        let name = seen.exchange.operation
        if let proof = seen.exchange.proof {
            if facts.provider.proofs.contains(proof.text) { return "\(name) took a proof twice" }
            if seen.key == nil { return "\(name) accepted a proof for another request" }
        }
        if let issued = seen.issued { return judge(issued, seen, facts) }
        guard let token = seen.presented, let bound = token.boundTo else { return nil }
        if name == "POST /oauth/introspect", seen.exchange.answer?["active"]?.boolValue == true {
            let told = seen.exchange.answer?["cnf"]?["jkt"]?.stringValue
            return told == bound ? nil : "a server does not learn the key of a token"
        }
        guard seen.resource != nil || name == "GET /oauth/userinfo" else { return nil }
        return seen.isProven(token) ? nil : "\(name) accepted a bound token without its key"
    }

    private func judge(_ issued: ClientToken, _ seen: ProviderSeen, _ facts: Facts) -> String? {
        if let wanted = seen.code?.fact.asked.proofKey, wanted != seen.key {
            return "a code was exchanged without the key that it needs"
        }
        if let bound = seen.refresh?.fact.key, bound != seen.key {
            return "a refresh token was accepted without its key"
        }
        if issued.boundTo != seen.key { return "a token is not bound to the key of its request" }
        let isNeeded =
            seen.client?.requiresProof == true
            || (facts.provider.notesNeedKey && issued.audience == ProviderSettings.notes)
        return isNeeded && issued.boundTo == nil ? "a token is not bound to its key" : nil
    }
}

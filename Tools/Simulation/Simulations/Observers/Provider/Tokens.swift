import JSON
import Time

/// A token is accepted only by the server that it is intended for. A client's token is not accepted
/// as a user's own, a token for another resource is not accepted here, and an ID token is never
/// accepted as an access token.
struct AudienceIsKept: Observer {
    let invariant = Invariant.audienceIsKept
    /// These operations may receive a token that is intended for another server.
    private static let asking: Set<String> = ["POST /oauth/introspect", "POST /oauth/revoke"]

    func judge(_ seen: Seen, _ facts: Facts) -> String? {
        guard let seen = seen.provider, seen.exchange.isSuccess else { return nil }
        let name = seen.exchange.operation
        if let resource = seen.resource {
            return seen.presented?.audience == resource
                ? nil : "\(resource) accepted a token that is for another server"
        }
        if name == "POST /oauth/introspect" { return introspection(seen) }
        if name == "GET /oauth/userinfo" {
            return seen.presented?.audience == ProviderSettings.issuer
                ? nil : "userinfo accepted a token that is not for it"
        }
        guard seen.presented != nil, !Self.asking.contains(name) else { return nil }
        return "\(name) accepted a token of a client"
    }

    private func introspection(_ seen: ProviderSeen) -> String? {
        guard seen.exchange.answer?["active"]?.boolValue == true else { return nil }
        guard let resource = seen.client?.resource else {
            let owner = seen.presented?.client ?? seen.exchange.answer?["client_id"]?.stringValue
            return owner == seen.client?.id
                ? nil : "a client got information about a token of another client"
        }
        return seen.presented?.audience == resource
            ? nil : "a resource server got information about a token for another server"
    }
}

/// An ID token fits its request: it has the client, the nonce, and a proof as recent as the request
/// requires.
struct IdentityFits: Observer {
    let invariant = Invariant.identityFits

    func judge(_ seen: Seen, _ facts: Facts) -> String? {
        guard let seen = seen.provider, let claims = seen.identity, let issued = seen.issued,
            let asked = seen.code?.fact.asked ?? seen.refresh?.fact.asked
                ?? seen.device?.fact.asked
        else { return nil }
        if claims["aud"]?.stringValue != asked.client { return "an ID token for another client" }
        if claims["sub"]?.stringValue != issued.user { return "an ID token for another user" }
        let nonce = seen.code == nil ? nil : asked.nonce
        if claims["nonce"]?.stringValue != nonce { return "an ID token with a wrong nonce" }
        guard let provenAfter = asked.provenAfter, let provenAt = claims["auth_time"]?.int64Value,
            provenAt < provenAfter
        else { return nil }
        return "the user authenticated \(provenAfter - provenAt) s before the required time"
    }
}

/// Errors have the form that OAuth defines, and an invalid token is reported as invalid.
struct ErrorsAreStandard: Observer {
    let invariant = Invariant.errorsAreStandard
    private static let programs: Set<String> = [
        "POST /oauth/token", "POST /oauth/revoke", "POST /oauth/introspect",
        "POST /oauth/register", "POST /oauth/device_authorization",
    ]

    func judge(_ seen: Seen, _ facts: Facts) -> String? {
        guard let seen = seen.provider, (400..<500).contains(seen.exchange.status),
            Self.programs.contains(seen.exchange.operation)
        else { return nil }
        guard seen.exchange.answer?["error"]?.stringValue != nil else {
            return "the refusal of \(seen.exchange.operation) does not have the form of OAuth"
        }
        guard seen.isRight, seen.exchange.status == 429, let refresh = seen.refresh,
            facts.provider.hasOneDescription(refresh.fact.asked.client),
            !facts.provider.secretEnds.mayHaveEnded(seen.secret),
            facts.endOfGrant(refresh.grant, before: seen.exchange) != nil
        else { return nil }
        return "a dead refresh token is answered with 429"
    }
}

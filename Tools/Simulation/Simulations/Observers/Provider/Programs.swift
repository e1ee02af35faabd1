import JSON
import Time

/// A self-described client gets only what its document contained when the person decided. A client
/// from a host that is not listed gets nothing.
struct DescriptionIsKept: Observer {
    let invariant = Invariant.descriptionIsKept

    func judge(_ seen: Seen, _ facts: Facts) -> String? {
        guard let seen = seen.provider, let sites = facts.provider.sites else { return nil }
        let client = seen.given?.asked.client ?? seen.presented?.client ?? seen.client?.id ?? ""
        guard let site = sites.sites[client] else { return nil }
        let isGiven = seen.given != nil || seen.issued != nil || seen.grantInUse != nil
        if isGiven, !sites.isListed(client) { return "\(client) is not listed, and gets access" }
        if let given = seen.given { return judge(given.asked, site, seen, facts) }
        guard seen.issued != nil, let code = seen.code, let decided = code.fact.versions else {
            return nil
        }
        let key = ProgramKey.number(of: seen.fields["client_assertion"])
        return decided.contains { site.versions[$0].key == key }
            ? nil : "a code was exchanged with a key of another document"
    }

    /// Judges the code that a response issues.
    private func judge(
        _ asked: ProviderFacts.Asked, _ site: ClientSites.Site, _ seen: ProviderSeen,
        _ facts: Facts
    ) -> String? {
        let versions = facts.provider.versions(asked)
        guard versions.contains(where: { site.versions[$0].redirectURI == asked.redirectURI })
        else { return "a code for an address that the document does not have" }
        guard seen.exchange.operation == "POST /auth/ui/consent" else {
            let user = facts.provider.user(of: seen, facts) ?? ""
            let decided = facts.provider.decidedVersions(.init(user: user, client: asked.client))
            return versions.isDisjoint(with: decided)
                ? "the user was not asked about the current document" : nil
        }
        guard let shown = seen.request.flatMap({ facts.provider.shown[$0] }) else { return nil }
        return versions.contains { site.versions[$0].name == shown }
            ? nil : "the person was not shown the document of the request"
    }
}

/// Without the agreement of the app's hook no code or token is issued, and the hook's requirements
/// are met.
struct HookAgrees: Observer {
    let invariant = Invariant.hookAgrees
    private let hooks: AppHooks

    init(_ hooks: AppHooks) { self.hooks = hooks }

    func judge(_ seen: Seen, _ facts: Facts) -> String? {
        guard let seen = seen.provider else { return nil }
        if let issued = seen.issued, let after = seen.code?.fact.provenAfter,
            let provenAt = issued.provenAt, provenAt < after
        {
            return "the user gave no new proof although the hook demanded it"
        }
        if seen.exchange.operation == "POST /oauth/device", seen.fields["user_code"] != nil,
            seen.exchange.isSuccess, let latest = seen.exchange.advice.last, !latest.isAgreement
        {
            return "a person is asked about a device although the hook has not agreed"
        }
        guard let given = seen.given, let user = facts.provider.user(of: seen, facts) else {
            return nil
        }
        let own = seen.exchange.advice
        let all = seen.request.flatMap { facts.provider.advised[$0] } ?? []
        // Two concurrent requests may get different answers.
        let earlier = own + all.filter { $0.settledAt < seen.exchange.startedAt }.map(\.advice)
        if earlier.contains(where: { $0.decision == .refuse }) {
            return "a code was given after the hook had refused"
        }
        let isAgreed =
            (own + all.map(\.advice)).contains { $0.user == user && $0.isAgreement }
            || hooks.mayAgree(to: given.asked.client, for: user)
        if !isAgreed { return "a code was given without the agreement of the hook" }
        let isAsked = seen.exchange.operation == "POST /auth/ui/consent"
        return !isAsked && earlier.contains { $0.decision == .consent }
            ? "the user was not asked, although the hook demanded it" : nil
    }
}

/// A client gets nothing after its acknowledged deletion or disabling, or after its registration
/// has expired without use, and none of its tokens is accepted.
struct ProgramStaysEnded: Observer {
    let invariant = Invariant.programStaysEnded

    func judge(_ seen: Seen, _ facts: Facts) -> String? {
        guard let seen = seen.provider else { return nil }
        let (exchange, now) = (seen.exchange, facts.now)
        let isProgram = exchange.operation.hasPrefix("POST /oauth/") && exchange.isSuccess
        let clients = [
            seen.given?.asked.client, isProgram ? seen.client?.id : nil,
            seen.grantInUse == nil ? nil : seen.presented?.client,
        ]
        for client in clients.compactMap(\.self) {
            let what = "\(exchange.operation) succeeded for a client that"
            if facts.provider.isDisabled(client, before: exchange.startedAt) {
                let isGone = facts.provider.deleted.contains(client)
                return "\(what) was \(isGone ? "deleted" : "disabled")"
            }
            if facts.provider.isForgotten(client, at: now, facts.registrationLifetime) {
                return "\(what) is forgotten"
            }
        }
        return nil
    }
}

extension ProviderFacts {
    /// The user of the session in which the code was issued.
    func user(of seen: ProviderSeen, _ facts: Facts) -> String? {
        seen.given?.code.split(separator: ".").last.flatMap { facts.sessions[String($0)]?.user }
    }
}

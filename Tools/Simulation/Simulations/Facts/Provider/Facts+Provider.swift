import AuthDomain
import JSON
import Time

extension Facts {
    private static let codeLifetime = Span.minutes(1)
    /// A second use of a code is detected for this long.
    private static let codeMemory = Span.minutes(9)
    private static let disabled = "client disabled"
    static let allEnded = "all grants of the client ended"

    // MARK: Requests that must succeed

    /// Whether the grant of an honest client must continue.
    func mustKeep(_ id: String) -> Bool {
        guard let grant = provider.grants[id] else { return false }
        let pair = ProviderFacts.Pair(user: grant.user, client: grant.asked.client)
        return mustGoOn(id) && isOpen(pair, since: grant.begunAt)
            && provider.mustBeKnown(pair.client, at: now, registrationLifetime)
            && provider.hasOneDescription(pair.client)
            && (grant.isOffline || mustGoOn(grant.browser))
    }

    /// Whether a token of an honest client must be valid, if it has not expired.
    func mustKeep(_ token: ClientToken) -> Bool {
        guard token.isOwn else { return mustKeep(token.grant) }
        return provider.disabled[token.client] == nil
            && !provider.grantEnds.mayHaveEnded(token.client, issuedAt: token.issuedAt)
    }

    /// Whether an honest client must get tokens for its code.
    func mustExchange(_ code: ProviderFacts.Code) -> Bool {
        guard !code.isReplayed, code.at + Self.codeLifetime - .seconds(1) > now,
            mustGoOn(code.session), let user = sessions[code.session]?.user
        else { return false }
        let pair = ProviderFacts.Pair(user: user, client: code.asked.client)
        return !sessions.mayEnd(user, since: code.step) && isOpen(pair, since: code.step)
            && provider.mustBeKnown(pair.client, at: now, registrationLifetime)
            && provider.sites?.hasChanged(pair.client, since: code.asked.at) != true
    }

    /// The functions keep an unused self-registered client for this long.
    var registrationLifetime: Span { policy.oauth?.registrationLifetime ?? .zero }

    /// Whether nobody has asked to end the client's access since a step.
    func isOpen(_ pair: ProviderFacts.Pair, since step: Int) -> Bool {
        !mayBeGone(pair.user) && accounts.disabled[pair.user] == nil
            && !sessions.mayEnd(pair.user, since: step)
            && !provider.mayBeRemoved(pair, since: step) && provider.disabled[pair.client] == nil
    }

    /// Why a grant had ended when a request began.
    func endOfGrant(_ id: String, before exchange: Exchange) -> String? {
        guard let grant = provider.grants[id] else { return nil }
        if let end = end(of: id, before: exchange) { return end }
        let (client, begunAt) = (grant.asked.client, sessions[id]?.begunAt ?? .max)
        if provider.isDisabled(client, before: exchange.startedAt) { return Self.disabled }
        if provider.grantEnds.hasEnded(client, givenAt: begunAt, before: exchange.startedAt) {
            return Self.allEnded
        }
        guard !grant.isOffline else { return nil }
        return end(of: grant.browser, before: exchange).map { "of the browser: \($0)" }
    }

    /// Why a token that a program got for itself had ended when a request began.
    func endOfOwn(_ token: ClientToken, before exchange: Exchange) -> String? {
        if provider.isDisabled(token.client, before: exchange.startedAt) { return Self.disabled }
        return provider.grantEnds.hasEnded(
            token.client, issuedAt: token.issuedAt, before: exchange.startedAt)
            ? Self.allEnded : nil
    }

    /// Why a token had ended according to the list of ended sessions. For the list, the end of the
    /// first client does not end a token that a server got by exchange.
    func listedEnd(of token: ClientToken, before exchange: Exchange) -> String? {
        guard !token.isOwn else { return endOfOwn(token, before: exchange) }
        let end = endOfGrant(token.grant, before: exchange)
        let isOfClient = end == Self.disabled || end == Self.allEnded
        return isOfClient && provider.grants[token.grant]?.asked.client != token.client ? nil : end
    }

    /// The session's cookie was replaced, and the browser may not have received the new one.
    func sessionMayEnd(_ cookie: String?) {
        guard let tokens = Browser.tokens(cookie) else { return }
        let session =
            sessions.accesses[tokens.access]?.session ?? sessions.refreshes[tokens.refresh]
        if let session { sessions.mayEnd(session) }
    }

    // MARK: A request, before its function runs

    func prepareProvider(
        _ operation: String, _ body: JSON, _ bearer: String?, _ request: WireRequest,
        _ origin: Origin, number: Int
    ) {
        let isSignIn = ["POST /auth/ui/signin", "POST /auth/ui/second-factor"].contains(operation)
        // A sign-in ends the browser's former session. A repeated request may present a spent
        // refresh token.
        if isSignIn || origin.isRepetition { sessionMayEnd(request.sessionCookie) }
        let exchange = Exchange(
            operation: operation, body: body, bearer: bearer, status: 0, answer: nil,
            origin: origin, number: number, startedAt: step, startedAlone: false,
            proof: ShownProof(request.header("DPoP")), browser: heldSession(request.sessionCookie))
        if let id = exchange.removedApplication, let bearer = exchange.bearer,
            let user = sessions.accesses[bearer]?.user
        {
            let pair = ProviderFacts.Pair(user: user, client: id)
            provider.mayRemove(pair, number, at: step)
        }
        guard let seen = ProviderSeen(exchange, self) else { return }
        prepareDecision(seen)
        prepareDevice(seen)
        prepareLogout(seen)
        touch(seen)
        if let code = seen.code, seen.isOwn {
            if let grant = code.fact.grant { sessions.mayEnd(grant) }
            // Of two concurrent requests, the second ends the grant that the first one began.
            if code.fact.isPresented { provider.codes[code.text]?.isReplayed = true }
            if seen.isRight { provider.codes[code.text]?.isPresented = true }
            provider.codes[code.text]?.pending.insert(number)
        }
        if let refresh = seen.refresh, seen.isOwn, isUsedUp(refresh.token, origin) {
            sessions.mayEnd(refresh.grant)
        }
        if operation == "POST /oauth/revoke", seen.isProven, let client = seen.client?.id,
            let grant = grant(of: seen.fields["token"]),
            provider.grants[grant]?.asked.client == client
        {
            sessions.mayEnd(grant)
        }
    }

    private func prepareDecision(_ seen: ProviderSeen) {
        guard seen.exchange.operation == "POST /auth/ui/consent",
            seen.fields["decision"] == "allow", let user = seen.fields["account"],
            let asked = seen.fields["request"].flatMap({ provider.waiting[$0] })
        else { return }
        provider.decide(
            ProviderFacts.Pair(user: user, client: asked.client), asked, provider.versions(asked),
            seen.exchange.number)
    }

    /// Notes that a self-registered client may have been used.
    private func touch(_ seen: ProviderSeen) {
        let asked = seen.request.flatMap { provider.waiting[$0] }
        for client in [seen.concerned, asked?.client].compactMap(\.self) {
            provider.touch(client, at: now, registrationLifetime)
        }
    }

    /// Whether sending a refresh token ends its grant, because the token was spent too long ago, or
    /// its successor was spent as well.
    private func isUsedUp(_ token: String, _ origin: Origin) -> Bool {
        guard let spending = provider.spent[token] else { return false }
        return origin.isRepetition || origin.isThief || spending.at + grace <= now
            || spending.successors.contains { provider.spent[$0] != nil }
    }

    /// The grant of an access or refresh token.
    func grant(of token: String?) -> String? {
        token.flatMap { provider.accesses[$0]?.grant ?? provider.refreshes[$0] }
    }

    // MARK: A response

    func noteProvider(_ seen: Seen) {
        let exchange = seen.exchange
        defer { provider.settle(exchange.number, at: step) }
        if exchange.isSuccess, let id = exchange.removedApplication, let user = seen.presented?.user
        {
            let pair = ProviderFacts.Pair(user: user, client: id)
            accounts.acknowledge(.applicationRemoved, user)
            provider.forget(pair, before: exchange.startedAt)
            for grant in provider.grants(of: pair) {
                end(grant, "application removed", startedAt: exchange.startedAt)
            }
        }
        guard let seen = seen.provider else { return }
        if exchange.isSuccess, let assertion = seen.fields["client_assertion"] {
            provider.assertions.insert(assertion)
        }
        if exchange.isSuccess, let proof = exchange.proof { provider.proofs.insert(proof.text) }
        noteRequest(seen)
        noteTokens(seen)
        noteDevice(seen)
        noteLogout(seen)
        noteRefusal(seen)
        if let code = seen.code { provider.codes[code.text]?.pending.remove(exchange.number) }
        guard exchange.isSuccess, exchange.operation == "POST /oauth/revoke", seen.isProven,
            seen.presented.map(isAlive) ?? true, let grant = grant(of: seen.fields["token"]),
            provider.grants[grant]?.asked.client == seen.client?.id
        else { return }
        end(grant, "revoked", startedAt: exchange.startedAt)
    }

    /// An expired access token no longer belongs to a grant.
    func isAlive(_ token: ClientToken) -> Bool {
        token.expiresAt > now.seconds && !keys.mayDiffer(at: now)
            && token.key.map { keys.retired[$0] == nil } ?? true
    }

    private func end(_ grant: String, _ why: String, startedAt: Int) {
        guard let begunAt = sessions[grant]?.begunAt, begunAt < startedAt else { return }
        sessions.end(grant, why, at: step)
    }

    private func noteRequest(_ seen: ProviderSeen) {
        touch(seen)
        if let name = seen.request {
            provider.advise(seen.exchange.advice, on: name, at: now, step)
            if let number = seen.exchange.shown { provider.show(number, for: name) }
        }
        if seen.exchange.operation == "GET /oauth/authorize", let name = seen.exchange.waiting {
            provider.wait(
                name,
                ProviderFacts.Asked(
                    seen.fields, device: seen.exchange.origin.device, at: now,
                    step: seen.exchange.startedAt))
        }
        guard let given = seen.given else { return }
        let session = String(given.code.split(separator: ".").last ?? "")
        if let user = sessions[session]?.user {
            accounts.acknowledge(.applicationAuthorized, user)
        }
        provider.use(given.asked.client, at: now)
        let demanded = (seen.request.flatMap { provider.advised[$0] } ?? [])
            .filter { $0.advice.decision == .stepUp && $0.settledAt < seen.exchange.startedAt }
        provider.codes[given.code] = ProviderFacts.Code(
            asked: given.asked, session: session, at: now, step: seen.exchange.startedAt,
            givenAt: step,
            versions: provider.sites?.sites[given.asked.client].map { _ in
                provider.versions(given.asked)
            },
            provenAfter: demanded.map(\.at.seconds).max())
    }

    private func noteTokens(_ seen: ProviderSeen) {
        guard let token = seen.issued else { return }
        if let code = seen.code, sessions[token.grant] == nil {
            accounts.acknowledge(.applicationSignedIn, token.user)
            provider.begin(
                token.grant,
                ProviderFacts.Grant(
                    user: token.user, asked: code.fact.asked, browser: code.fact.session,
                    code: code.text, begunAt: code.fact.step,
                    key: seen.client?.proof == Program.Proof.none ? seen.key : nil))
            sessions.begin(
                token.grant, of: token.user, on: -1, startedAt: code.fact.step, at: step)
            sessions.markAsGrant(token.grant)
            // A concurrent request of the client ends the grant, also if it is for the wrong
            // resource.
            let others = provider.codes[code.text]?.pending.subtracting([seen.exchange.number])
            if provider.codes[code.text]?.isReplayed == true || others?.isEmpty == false {
                sessions.mayEnd(token.grant)
            }
            provider.codes[code.text]?.grant = token.grant
        }
        if let device = seen.device, sessions[token.grant] == nil {
            begin(token, at: device.fact, seen)
        }
        if seen.fields["grant_type"] == Program.exchange {
            accounts.acknowledge(.tokenExchanged, token.user)
        }
        provider.give(token)
        provider.use(token.client, at: now)
        if let refresh = seen.refresh, let next = seen.refreshIssued {
            provider.spend(refresh.token, for: next, at: now)
        }
        if let next = seen.refreshIssued { provider.use(token.grant, next) }
    }

    /// The refusal of a refresh token, or of a code used twice, means that its grant has ended.
    private func noteRefusal(_ seen: ProviderSeen) {
        guard seen.refusal == "invalid_grant", seen.isOwn else { return }
        if let refresh = seen.refresh {
            end(refresh.grant, "refused", startedAt: seen.exchange.startedAt)
        }
        if let code = seen.code, let grant = code.fact.grant, code.fact.at + Self.codeMemory > now {
            end(grant, "code used again", startedAt: seen.exchange.startedAt)
        }
    }
}

extension Exchange {
    /// The client that a user removes from the account.
    var removedApplication: String? { identifier(after: "DELETE /auth/applications/") }

    /// The name of the request that waits for the person.
    var waiting: String? {
        if let name = Redirect(location)?.parameters["request"] { return name }
        let parts = next?.split(separator: "~") ?? []
        return parts.count >= 2 && parts[0] == "consent" ? String(parts[1]) : nil
    }
}

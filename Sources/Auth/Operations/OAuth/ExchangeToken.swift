package import AuthDomain
internal import AuthRecords
internal import Bytes
internal import KeyValueStore
internal import Time

/// Exchanges an access token that a server has received for a token with which the server calls
/// another server for the same user (RFC 8693). The new token belongs to the same grant and ends
/// with the grant. It names the acting server.
///
/// A token that is bound to a key is exchanged only for a token that is bound to a key of the
/// requesting client. That client cannot prove the original key, but a bound token must not become
/// a bearer token.
package struct ExchangeToken: Sendable {
    package struct Input: Sendable {
        package let subject: String
        package let targets: [String]
        /// The requested scopes; nil for all possible ones.
        package let scope: [String]?

        package init(subject: String, targets: [String], scope: [String]?) {
            self.subject = subject
            self.targets = targets
            self.scope = scope
        }
    }

    let auth: AuthServices

    package func callAsFunction(
        _ input: Input, by credentials: ClientCredentials, _ caller: Caller
    ) throws(AuthError) -> GrantTokens {
        // 1. Open: count, and read the client, and the token's grant with its clients.
        let claims = try auth.grantClaims(
            input.subject, for: try auth.oauth.resources.map(\.uri))
        let keys =
            (claims?.keys ?? [])
            + (claims?.place.map { [AuditChain.account($0.user).headKey] } ?? [])
        let (client, opening) = try auth.open(
            .exchangeToken, as: .tokenExchange, by: credentials, caller, reading: keys)
        try opening.admit()
        let signer = try GrantSigner(
            auth, for: client, .exchangeToken, caller, identifies: false)

        var items = opening.items
        for attempt in auth.attempts {
            if attempt > 0 { items = try auth.store.get(keys) }
            let now = auth.clock.now()
            // 2. Judge the token, as introspection does, and the request.
            guard let claims, now < claims.token.expiresAt,
                let access = try auth.access(by: claims, items), let owner = access.owner
            else { throw .oauth(.invalidRequest("The subject token is not valid.")) }
            try judge(access.token, client)
            let target = try target(input.targets, of: owner.grant, client)
            let words = try words(input.scope, for: target, access.token, owner.grant, client)
            let key = try auth.keyToBind(caller)
            if access.token.clientKey != nil, key == nil { throw .proof(.required) }
            let plan = try signer.plan(
                for: owner.user, owner.session, audience: target, boundTo: key, scope: words,
                .exchange)

            // 3. Close: sign the token while the grant is alive.
            var audit = try auth.audit(.account(owner.user.id), items)
            audit.record(
                .tokenExchanged, session: owner.session.id, caller,
                detail: "\(client.id) \(target)", at: now)
            let isThere = Write.check(SessionRecord.key(of: owner.session), when: [.present])
            if try auth.commit([isThere] + plan.checks, &audit) {
                return try signer.exchanged(plan, of: owner.session, for: access.token, at: now)
            }
        }
        throw .unavailable(.contention)
    }

    /// Throws unless the token was sent to this client, or issued to it.
    private func judge(_ token: ClientToken, _ client: Client) throws(AuthError) {
        let isReceived = client.introspects?.isSame(as: token.audience) ?? false
        guard isReceived || token.client.isSame(as: client.id) else {
            throw .oauth(.invalidRequest("The subject token is not for this client."))
        }
        if let only = token.mayAct, !only.isSame(as: client.id) {
            throw .oauth(.invalidRequest("Only another client may exchange the subject token."))
        }
        guard token.actors.count < ClientToken.actorsMax else {
            throw .oauth(.invalidRequest("The subject token was exchanged too often."))
        }
    }

    /// The audience of the new token: a server that the client may call, and to which the user has
    /// given access.
    private func target(
        _ asked: [String], of grant: ClientGrant, _ client: Client
    ) throws(AuthError) -> String {
        let oauth = try auth.oauth
        let named = asked.isEmpty ? client.resources ?? [] : asked
        guard let target = named.first, named.allSatisfy({ $0.isSame(as: target) }) else {
            throw .oauth(.targetMissing)
        }
        guard oauth.isOpen(target, to: client),
            grant.resources.contains(where: target.isSame(as:))
        else { throw .oauth(.invalidTarget(RepeatedText(target))) }
        return target
    }

    /// The scopes that the user has granted, and that both the client and the server may have. A
    /// scope that the subject token lacks was left out on purpose, so it is not added.
    private func words(
        _ asked: [String]?, for target: String, _ token: ClientToken, _ grant: ClientGrant,
        _ client: Client
    ) throws(AuthError) -> [String] {
        let oauth = try auth.oauth
        let former = oauth.words(of: grant.scope, for: token.audience)
        let allowed = oauth.words(of: grant.scope, for: target).filter { word in
            oauth.isKnown(word, to: client)
                && (token.scope.contains(word) || !former.contains(word))
        }
        if let other = asked?.first(where: { !allowed.contains($0) }) {
            throw .oauth(.invalidScope(RepeatedText(other), .notGranted))
        }
        return asked.map { asked in allowed.filter(asked.contains) } ?? allowed
    }
}

extension AuthServices {
    package var exchangeToken: ExchangeToken { ExchangeToken(auth: self) }
}

extension AuthOperation {
    package static let exchangeToken = AuthOperation(
        "exchangeToken", servedBy: "token", counting: [.client], audited: .others)
}

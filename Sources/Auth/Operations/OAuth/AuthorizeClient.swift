package import AuthDomain
package import AuthRecords
internal import Bytes
internal import Cryptography
internal import KeyValueStore
package import Time

/// Gives a client the code for a user's grant, or finds that the user must be asked for consent.
package struct AuthorizeClient: Sendable {
    let auth: AuthServices

    /// A code, if the user need not be asked: the client is the operator's own, or the user has
    /// consented before and no other program can have made the request.
    package func silently(
        _ asked: WaitingAuthorization, from client: Client, _ principal: Principal,
        _ caller: Caller, answering waiting: WaitingRequest? = nil
    ) throws(AuthError) -> String? {
        guard !asked.asks else { return nil }
        let used = waiting.map { [$0.answering] } ?? []
        let key = StoreLayout.consent(to: client.id, of: principal.user.id)
        let items = try auth.store.get(try keys(key, asked, principal))
        if client.isFirstParty {
            return try code(for: asked, from: client, principal, items, caller, with: used)
        }
        guard client.isRecognised(at: asked.redirectURI), let row = items[key] else { return nil }
        let consent = try decoded(ConsentRecord(row))
        guard consent.covers(scope: asked.disclosed, resources: asked.resources),
            consent.description == client.description,
            try consent.clientEpoch == auth.clientEpoch(client.id, items)
        else { return nil }
        let (user, end) = (principal.user.id, try auth.consentEnd)
        let kept = consent.item(of: user, expiresAt: end)
        return try code(
            for: asked, from: client, principal, items, caller,
            with: used + [.put(kept, when: [.present])]
                + consent.listing(of: user, prolongedFrom: row.expiresAt, to: end))
    }

    /// A code for a request that the user has allowed. The request is used up.
    package func afterConsent(
        to waiting: WaitingRequest, _ principal: Principal, _ caller: Caller
    ) throws(AuthError) -> String {
        let asked = waiting.authorization
        let key = StoreLayout.consent(to: asked.client, of: principal.user.id)
        let items = try auth.store.get(try keys(key, asked, principal))
        let consent = try NewConsent(
            auth, to: waiting.client, asked.disclosed, asked.resources, of: principal.user, items,
            caller, at: auth.clock.now())
        guard
            let code = try code(
                for: asked, from: waiting.client, principal, items, caller,
                with: [waiting.answering] + consent.writes)
        else { throw .oauth(.unknownRequest) }
        consent.notice.deliver()
        return code
    }

    private func keys(
        _ consent: ItemKey, _ asked: WaitingAuthorization, _ principal: Principal
    ) throws(AuthError) -> [ItemKey] {
        [consent, AuditChain.account(principal.user.id).headKey]
            + [try auth.clientEpochKey(asked.client)].compactMap(\.self)
    }

    /// nil if a condition of `writes` does not hold.
    private func code(
        for asked: WaitingAuthorization, from client: Client, _ principal: Principal,
        _ items: ReadItems, _ caller: Caller, with writes: [Write] = []
    ) throws(AuthError) -> String? {
        let (now, policy, user) = (auth.clock.now(), try auth.oauthPolicy, principal.user)
        let (text, link) = AccountLink.make(for: user.id, random: auth.random)
        let code = AuthorizationCode(
            client: asked.client, redirectURI: asked.redirectURI, challenge: asked.challenge,
            nonce: asked.nonce, scope: asked.scope, resources: asked.resources,
            claims: asked.claims, proofKey: asked.proofKey, description: asked.description,
            epoch: user.epoch, clientEpoch: try auth.clientEpoch(asked.client, items),
            browser: principal.session.id, endsAt: now + policy.codeLifetime)
        let row = code.item(link, expiresAt: now + policy.codeMemory)
        var audit = try auth.audit(.account(user.id), items)
        audit.record(
            .applicationAuthorized, session: principal.session.id, caller, detail: asked.client,
            at: now)
        let pushed = asked.pushed.map { PushedAuthorization.answering($0, at: now) }
        let all =
            writes + [.put(row, when: [.absent])] + (pushed.map { [$0] } ?? [])
            + (try auth.keeping(client, at: now))
        return try auth.commit(all, &audit) ? "\(text).\(principal.session.id.text)" : nil
    }
}

/// A request that waits for a person, and its row.
package struct WaitingRequest: Sendable {
    package let authorization: WaitingAuthorization
    package let client: Client
    /// The name of the request in addresses of pages.
    package let name: String
    fileprivate let row: Item
    var key: ItemKey { row.key }

    /// The write that marks the request as used.
    fileprivate var answering: Write {
        .put(WaitingAuthorization.answered(row), when: WaitingAuthorization.isUnanswered)
    }

    package var answer: AuthorizationAnswer {
        AuthorizationAnswer(
            redirectURI: authorization.redirectURI, state: authorization.state)
    }
}

extension AuthServices {
    package var authorizeClient: AuthorizeClient { AuthorizeClient(auth: self) }

    private static let requestSecretBytes = 32

    fileprivate var consentEnd: Instant {
        get throws(AuthError) { clock.now() + (try oauthPolicy).consentLifetime }
    }

    /// Stores a request until a person has signed in and decided.
    ///
    /// - Returns: the name of the request.
    package func keep(
        _ asked: WaitingAuthorization, _ caller: Caller
    ) throws(AuthError) -> String {
        try open(.authorizeClient, counting: [(.address, caller.address)]).admit()
        let secret = random.bytes(Self.requestSecretBytes)
        let row = asked.item(
            StoreLayout.waitingAuthorization(secretHash: WaitingAuthorization.hash(secret)),
            expiresAt: clock.now() + (try oauthPolicy).requestLifetime)
        try store.write([.put(row, when: [.absent])])
        return Base64URL.encode(secret)
    }

    /// The waiting request with this name; nil unless it is known and was begun in this browser.
    ///
    /// - Parameter browser: the secret of the browser.
    package func waitingRequest(
        _ name: String, in browser: [UInt8]?
    ) throws(AuthError) -> WaitingRequest? {
        guard let secret = Base64URL.decode(name), secret.count == Self.requestSecretBytes,
            let browser
        else { return nil }
        let key = StoreLayout.waitingAuthorization(
            secretHash: WaitingAuthorization.hash(secret))
        guard let row = try store.get(key), row.expiresAt.map({ clock.now() < $0 }) ?? true,
            !WaitingAuthorization.isAnswered(row)
        else { return nil }
        let asked = try decoded(WaitingAuthorization(row))
        guard constantTimeEquals(asked.browserHash, WaitingAuthorization.hash(browser)),
            let client = try client(asked.client), client.isDescribed(as: asked.description)
        else { return nil }
        return WaitingRequest(authorization: asked, client: client, name: name, row: row)
    }

    /// Changes what the request waits for.
    package func change(
        _ waiting: WaitingRequest, to asked: WaitingAuthorization
    ) throws(AuthError) -> WaitingRequest {
        let row = asked.item(waiting.key, expiresAt: waiting.row.expiresAt)
        guard try store.attempt([.put(row, when: WaitingAuthorization.isUnanswered)]) else {
            throw .oauth(.unknownRequest)
        }
        return WaitingRequest(
            authorization: asked, client: waiting.client, name: waiting.name, row: row)
    }

    /// The person has refused: the request is used up.
    package func refuse(_ waiting: WaitingRequest) throws(AuthError) {
        let now = clock.now()
        let pushed = waiting.authorization.pushed.map {
            PushedAuthorization.answering($0, at: now)
        }
        _ = try store.attempt([waiting.answering] + (pushed.map { [$0] } ?? []))
    }
}

extension AuthorizationRequest {
    /// The form in which the request is stored.
    ///
    /// - Parameters:
    ///   - browser: the secret of the browser that sent the request.
    ///   - pushed: the hash of the request's name, if the client has pushed it.
    package func waiting(
        in browser: [UInt8], pushed: String?, _ auth: AuthServices
    ) throws(AuthError) -> WaitingAuthorization {
        let now = auth.clock.now()
        let user = try identityHint.map { hint throws(AuthError) in
            try auth.hintedUser(hint, to: client)
        }
        if let user, let subject, user != subject {
            throw .oauth(.invalidRequest("id_token_hint and claims name different users."))
        }
        let age = asks(for: .login) ? Span.zero : ageMax
        return WaitingAuthorization(
            client: client.id, redirectURI: redirectURI, state: state, challenge: challenge,
            scope: scope, resources: resources, claims: claims, nonce: nonce, proofKey: proofKey,
            description: client.description,
            asks: asks(for: .consent), choosesAfter: asks(for: .selectAccount) ? now : nil,
            provenAfter: age.map { now - $0 }, strength: strength, user: user ?? subject,
            agreedFor: nil,
            browserHash: WaitingAuthorization.hash(browser), pushed: pushed)
    }
}

extension WaitingAuthorization {
    /// Whether the person has signed in for this request, or does not have to choose an account.
    package func isChosen(by session: Session) -> Bool {
        choosesAfter.map { $0 <= session.createdAt } ?? true
    }

    /// Whether this may be the user whom the client expects.
    package func expects(_ other: User) -> Bool { user.map { $0 == other.id } ?? true }

    /// The same request, marked for a step-up if the user can give a stronger proof than they have.
    /// The user is asked only once, even if the new proof is weaker than the client asks for.
    package func asking(
        for proof: Session, of user: User, at now: Instant
    ) -> WaitingAuthorization {
        var asked = self
        asked.strength = nil
        if let strength, min(strength, .strongest(of: user)) > proof.proofs.latest.strength {
            asked.provenAfter = now
        }
        return asked
    }

    /// The error for a client that requires a stronger proof than the user has given; nil if the
    /// proof is strong enough.
    package func shortcoming(of session: Session, _ user: User) -> OAuthError? {
        guard let wanted = claims.strength, session.proofs.latest.strength < wanted else {
            return nil
        }
        return wanted <= .strongest(of: user) ? .interactionRequired : .unmetRequirements
    }

    /// Whether the user has proven who they are as recently as the client requires.
    package func isProven(by session: Session) -> Bool {
        provenAfter.map { $0 <= session.proofs.latest.provenAt } ?? true
    }
}

extension AuthOperation {
    package static let authorizeClient = AuthOperation(
        "authorizeClient", servedBy: "ui", counting: [.address], audited: .others)
    package static let decideConsent = AuthOperation(
        "decideConsent", servedBy: "ui", counting: [], audited: .others)
}

package import AuthDomain
internal import AuthRecords
internal import Bytes
internal import Cryptography
internal import KeyValueStore
internal import Time

/// Exchanges a code for the tokens of a new grant (OAuth 2.1 section 4.1.3).
///
/// The code is used up and the grant is made by one conditional write, so of any number of requests
/// with the same code only one gets tokens. A second use that is valid in every other respect ends
/// the grant, because one of the two requests is not the client's. A code is refused after the user
/// has removed the client.
package struct RedeemCode: Sendable {
    package struct Input: Sendable {
        package let code: String
        package let verifier: String
        package let redirectURI: String?
        package let resources: [String]

        package init(
            code: String, verifier: String, redirectURI: String?, resources: [String]
        ) {
            self.code = code
            self.verifier = verifier
            self.redirectURI = redirectURI
            self.resources = resources
        }
    }

    let auth: AuthServices

    package func callAsFunction(
        _ input: Input, by credentials: ClientCredentials, _ caller: Caller
    ) throws(AuthError) -> GrantTokens {
        // 1. Open: count, and find the client, the code, the user's decision, the browser's
        //    session, the user and their grants.
        let place = CodePlace(parsing: input.code)
        let keys = try keys(place, credentials.id)
        let (client, opening) = try auth.open(
            .redeemCode, as: .authorizationCode, by: credentials, caller, reading: keys,
            listing: place.map { StoreLayout.clientGrants(of: $0.link.user) })
        try opening.admit()
        let signer = try GrantSigner(auth, for: client, .redeemCode, caller)
        guard let place else { throw .oauth(.invalidGrant(.unknown)) }

        var items = opening.items
        for attempt in auth.attempts {
            if attempt > 0 { items = try auth.store.get(keys) }
            let now = auth.clock.now()
            // 2. Judge the request. An invalid request does not use up the code.
            guard let row = items[AuthorizationCode.key(place.link)] else {
                throw .oauth(.invalidGrant(.unknown))
            }
            let code = try decoded(AuthorizationCode(row))
            try judge(code, input, client, place, caller)
            if let grant = code.grant {
                try end(grant, of: place.link.user, client, caller, at: now)
                throw .oauth(.invalidGrant(.used))
            }
            guard now < code.endsAt else { throw .oauth(.invalidGrant(.expired)) }
            let state = try SessionState(items, place.session, of: place.link.user)
            guard state.end(at: now) == nil, let browser = state.session, let user = state.user,
                code.epoch == user.epoch, try isOfUse(code, to: client, items)
            else { throw .oauth(.invalidGrant(.ended)) }
            let new = try NewGrant(
                of: .init(
                    scope: code.scope, resources: code.resources, claims: code.claims,
                    clientEpoch: code.clientEpoch, user: user, browser: browser),
                to: client, for: input.resources, signer, items,
                grants: attempt == 0 ? opening.page : nil, auth, caller, at: now)

            // 3. Close: the code is used, and the grant begins.
            var audit = try auth.audit(.account(user.id), items)
            audit.record(
                .applicationSignedIn, session: new.session.id, caller, detail: client.id, at: now)
            let used = Write.put(
                AuthorizationCode.used(row, for: new.session.id), when: AuthorizationCode.isUnused)
            if try auth.commit([used] + new.writes, &audit) {
                return try signer.tokens(new.plan, of: new.session, nonce: code.nonce, at: now)
            }
        }
        throw .unavailable(.contention)
    }

    private func keys(
        _ place: CodePlace?, _ client: String
    ) throws(AuthError) -> [ItemKey] {
        guard let place else { return [] }
        let user = place.link.user
        return [
            AuthorizationCode.key(place.link), StoreLayout.consent(to: client, of: user),
            AuditChain.account(user).headKey,
        ] + place.sessionKeys + [try auth.clientEpochKey(client)].compactMap(\.self)
    }

    /// Whether the client is still as it was when the user decided.
    private func isOfUse(
        _ code: AuthorizationCode, to client: Client, _ items: ReadItems
    ) throws(AuthError) -> Bool {
        guard client.isDescribed(as: code.description) else { return false }
        return try code.clientEpoch == auth.clientEpoch(client.id, items)
    }

    /// Throws unless the request comes from the client that got the code, with the right proof.
    private func judge(
        _ code: AuthorizationCode, _ input: Input, _ client: Client, _ place: CodePlace,
        _ caller: Caller
    ) throws(AuthError) {
        guard code.client.isSame(as: client.id), code.browser == place.session else {
            throw .oauth(.invalidGrant(.otherClient))
        }
        if let address = input.redirectURI, !address.isSame(as: code.redirectURI) {
            throw .oauth(.invalidGrant(.otherRedirectURI))
        }
        guard code.isProven(by: input.verifier) else {
            throw .oauth(.invalidGrant(.wrongVerifier))
        }
        if let bound = code.proofKey, caller.key?.thumbprint.isSame(as: bound) != true {
            throw .proof(.required)
        }
    }

    /// Ends the grant of a code that was used a second time.
    private func end(
        _ grant: SessionID, of user: UserID, _ client: Client, _ caller: Caller, at now: Instant
    ) throws(AuthError) {
        var audit = auth.audit(.account(user))
        audit.record(.codeReplayed, session: grant, caller, detail: client.id, at: now)
        // If several requests end the grant, only one records the event.
        _ = try auth.commit(
            [.delete(StoreLayout.clientGrant(grant, of: user), when: [.present])], &audit)
    }
}

extension AuthServices {
    package var redeemCode: RedeemCode { RedeemCode(auth: self) }

    /// The active grants of a user, most recently used first.
    ///
    /// - Parameter first: the first page of the query, if it was already read.
    func clientGrants(of user: User, first: Page? = nil) throws(AuthError) -> [Session] {
        try clientGrants(
            among: store.everyItem(of: StoreLayout.clientGrants(of: user.id), first: first),
            of: user)
    }

    /// - Parameter rows: some of the user's rows.
    func clientGrants(among rows: [Item], of user: User) throws(AuthError) -> [Session] {
        let now = clock.now()
        var grants: [Session] = []
        for item in rows {
            guard let id = SessionRecord.grantID(of: item) else { continue }
            let session = try decoded(SessionRecord.session(item, id: id, user: user.id))
            if SessionEnd.of(session, user, at: now) == nil { grants.append(session) }
        }
        return grants.sorted { $0.lastUsedAt > $1.lastUsedAt }
    }
}

extension AuthOperation {
    package static let redeemCode = AuthOperation(
        "redeemCode", servedBy: "token", counting: [.client, .address], audited: .others)
}

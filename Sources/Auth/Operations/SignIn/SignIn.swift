package import AuthDomain
internal import AuthRecords
internal import IdentityProviders
internal import KeyValueStore
internal import Time

/// Signs a user in with an identity token of Apple, Google or another OpenID provider.
///
/// An identity is (issuer, subject) from the verified token. Nothing in the request body proves
/// anything: its name is only ever shown, and it has no e-mail.
package struct SignIn: Sendable {
    private let auth: AuthServices

    fileprivate init(_ auth: AuthServices) { self.auth = auth }

    package struct Input: Sendable {
        package var provider: String
        package var idToken: String
        package var nonce: String?
        package var fullName: PersonName?
        package var authorizationCode: String?
        package var deviceName: String?
        package var deviceSystem: String?

        package init(provider: String, idToken: String, nonce: String? = nil) {
            self.provider = provider
            self.idToken = idToken
            self.nonce = nonce
        }
    }

    package struct Output: Sendable {
        package let user: User
        package let isNewUser: Bool
        /// nil where the contract gives none: `photolala` signs in once per visit.
        package let tokens: SessionTokens?
        package let codeExchange: CodeExchange?
    }

    package func callAsFunction(
        _ input: Input, _ caller: Caller
    ) throws(AuthError) -> Output {
        try perform(input, startsSession: true, caller) { _ throws(AuthError) in [] }
    }

    /// `beforeCommit` is asked about the user who is about to be signed in: it may refuse, and what
    /// it returns is written with the rest. It runs again when a race was lost.
    func perform(
        _ input: Input, startsSession: Bool, _ caller: Caller,
        beforeCommit: (User) throws(AuthError) -> [Write]
    ) throws(AuthError) -> Output {
        // 1. Verify. A token that fails counts for the caller's address, as one that passes does.
        let identity = try verify(input, caller)

        // 2. Open: count the address, see what is used up, and find the account.
        let lookup = IdentityLookup(auth, identity, nonce: issuedNonce(input))
        let opening = try auth.open(
            .signIn, counting: [(.address, caller.address)], reading: lookup.keys)
        try opening.admit()
        var found = opening.items
        // Before the account is counted: replaying a used token must not lock its owner out.
        try lookup.refuseUsed(found)

        // 3. The provider's own refresh token, to be revoked when the account is deleted.
        let exchange = try input.authorizationCode.map { code throws(AuthError) in
            try auth.identityProviders.exchange(code, identity, auth.clock.now())
        }
        if case .belongsToAnotherUser? = exchange {
            throw .signIn(.identityRejected(.invalidIDToken))
        }

        // 4. The key first: a sign-in that could not be answered must not use up the token.
        let signer = startsSession ? try auth.accessTokens.signer(at: auth.clock.now()) : nil

        var isAccountCounted = false
        for _ in 0..<Attempts.max {
            // 5. Who it is: a third trip for a known account, whose row the identity only names.
            let now = auth.clock.now()
            let arrival = try AccountArrival(
                auth, identity, input, lookup, found, countsAccount: !isAccountCounted, at: now)
            // A new account has nothing to count until another request has made it first.
            isAccountCounted = isAccountCounted || !arrival.isNewUser

            // 6. Close: the account, the session, and what is used up, in one transaction.
            var writes = arrival.writes + lookup.consumption
            if case .granted(let token)? = exchange {
                writes.append(
                    try auth.providerTokens.keep(
                        token, provider: identity.provider, clientID: identity.audience,
                        of: arrival.user.id))
            }
            writes += try beforeCommit(arrival.user)
            var opened: SessionOpening?
            if startsSession {
                let session = try SessionOpening(
                    auth, for: arrival.user, from: origin(input, caller),
                    others: arrival.sessions, at: now)
                writes += session.writes
                opened = session
            }
            writes.append(
                AuditRecord.write(
                    arrival.isNewUser ? .accountCreated : .signedIn, user: arrival.user.id,
                    session: opened?.family.id, address: caller.address, at: now,
                    random: auth.random))
            let closing = writes
            if try attempted({ () throws(StoreFailure) in try auth.store.write(closing) }) {
                return try answer(arrival, opened, exchange, signer, at: now)
            }
            // 7. The token or the nonce was used meanwhile, or the account was changed.
            found = try stored { () throws(StoreFailure) in try auth.store.get(lookup.keys) }
            try lookup.refuseUsed(found)
        }
        throw .unavailable(.contention)
    }

    private func verify(
        _ input: Input, _ caller: Caller
    ) throws(AuthError) -> VerifiedIdentity {
        let gateway = try auth.identityProviders
        guard gateway.providers.contains(where: { $0.utf8.elementsEqual(input.provider.utf8) })
        else { throw .signIn(.unknownProvider) }
        let policy = auth.policy.identity
        if policy.requiresNonce, input.nonce == nil { throw .signIn(.nonceRequired) }
        let expectation: NonceExpectation =
            switch policy.nonce {
            case .none: .ignored
            case .chosenByClient: input.nonce.map { .exactly($0) } ?? .ignored
            case .issued: .exactly(input.nonce)
            }
        do {
            return try gateway.verify(
                input.provider, input.idToken, expectation, auth.clock.now())
        } catch {
            try auth.open(.signIn, counting: [(.address, caller.address)]).admit()
            throw .signIn(.identityRejected(error))
        }
    }

    private func issuedNonce(_ input: Input) -> String? {
        auth.policy.identity.nonce == .issued ? input.nonce : nil
    }

    private func origin(_ input: Input, _ caller: Caller) -> SessionOrigin {
        SessionOrigin(
            provider: input.provider, deviceName: input.deviceName,
            deviceSystem: input.deviceSystem, address: caller.address,
            userAgent: caller.userAgent)
    }

    private func answer(
        _ arrival: AccountArrival, _ opened: SessionOpening?, _ exchange: CodeExchange?,
        _ signer: AccessTokenSigner?, at now: Instant
    ) throws(AuthError) -> Output {
        var tokens: SessionTokens?
        if let opened, let signer {
            tokens = SessionTokens(
                access: try signer.issue(to: arrival.user, session: opened.family.id, at: now),
                refresh: opened.refresh, session: opened.family.id, user: arrival.user)
        }
        return Output(
            user: arrival.user, isNewUser: arrival.isNewUser, tokens: tokens,
            codeExchange: exchange)
    }
}

extension AuthServices {
    package var signIn: SignIn { SignIn(self) }
}

extension AuthOperation {
    package static let signIn = AuthOperation("signIn", counting: [.address, .account])
}

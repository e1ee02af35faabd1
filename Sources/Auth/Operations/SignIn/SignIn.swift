package import AuthDomain
internal import AuthRecords
internal import IdentityProviders
internal import KeyValueStore
internal import Time

/// Signs a user in with an identity token of Apple, Google or another OpenID provider.
///
/// An identity is (issuer, subject) of the verified token. The request body is not trusted: the
/// name in it is only displayed, and it has no e-mail address.
package struct SignIn: Sendable {
    let auth: AuthServices

    package struct Input: Sendable {
        package var provider: String
        package var idToken: String
        package var nonce: String?
        package var fullName: PersonName?
        package var authorizationCode: String?
        /// The result of exchanging a code from the pages.
        package var codeExchange: CodeExchange?
        package var device = DeviceClaim()

        package init(provider: String, idToken: String, nonce: String? = nil) {
            self.provider = provider
            self.idToken = idToken
            self.nonce = nonce
        }

        var proof: IdentityProof {
            IdentityProof(provider: provider, idToken: idToken, nonce: nonce)
        }
    }

    package struct Output: Sendable {
        package let user: User
        package let isNewUser: Bool
        /// The identity's address belongs to another account, so the new one cannot log in with it.
        /// Nothing is linked: an address proves no ownership of an account.
        package let isEmailTaken: Bool
        /// nil if the contract has no sessions, such as `photolala`.
        package let result: SignInResult?
        package let codeExchange: CodeExchange?

        /// nil without a session: the contract has none, or a second factor is required.
        package var tokens: SessionTokens? {
            if case .session(let tokens)? = result { tokens } else { nil }
        }
    }

    package func callAsFunction(
        _ input: Input, _ caller: Caller
    ) throws(AuthError) -> Output {
        try perform(input, startsSession: true, caller) { _, _ throws(AuthError) in }
    }

    /// `beforeCommit` is called with the user who is about to be signed in: it may refuse, and the
    /// events that it records are written with the sign-in. It is called again after a lost race.
    func perform(
        _ input: Input, startsSession: Bool, _ caller: Caller,
        beforeCommit: (User, inout AuditTrail) throws(AuthError) -> Void
    ) throws(AuthError) -> Output {
        // 1. Verify the token. An invalid one counts for the client's address like a valid one.
        let identity = try verify(input, caller)

        // 2. Count the address, check that the token is unused, and find the account.
        let lookup = IdentityLookup(
            identity, nonce: auth.issuedNonce(input.nonce),
            claimsEmail: auth.policy.accounts.claimsEmail)
        let opening = try auth.open(
            .signIn, counting: [(.address, caller.address)], reading: lookup.keys,
            provenBy: caller.key)
        try opening.admit()
        var found = opening.items
        // Before the account is counted: replaying a used token must not lock out the owner.
        try refuseUsed(lookup, found, caller)

        // 3. Get the provider's own refresh token, to be revoked with the account or the identity.
        let exchange = try auth.exchange(
            input.authorizationCode, or: input.codeExchange, identity)

        // 4. Get the signing key before anything is written: otherwise a sign-in that fails would
        //    consume the token.
        let signer =
            startsSession ? try auth.accessTokens.signer(for: .signIn, caller) : nil

        var isAccountCounted = false
        var hook = SignInHook(auth, .signIn, caller)
        for _ in auth.attempts {
            // 5. Read the account: a third round trip if it exists, because the identity's row
            //    contains only its ID.
            let now = auth.clock.now()
            guard
                let resolved = try resolveAccount(
                    identity, input, lookup, found, countsAccount: !isAccountCounted, caller,
                    at: now)
            else {
                // The identity was removed from its account since it was looked up.
                found = try auth.store.get(lookup.keys)
                continue
            }
            // A new account has no counter until another request has created it.
            isAccountCounted = isAccountCounted || !resolved.isNewUser

            // 6. Write the account, the session, and the consumed token and nonce in one
            //    transaction.
            var writes = resolved.writes + lookup.consumption
            writes += try auth.keep(exchange, of: identity, in: resolved.user.id)
            var audit = resolved.audit
            if !startsSession, resolved.user.hasSecondFactor { throw .secondFactor(.required) }
            try beforeCommit(resolved.user, &audit)
            var factor: FirstFactor?
            if let signer {
                let approval = try hook.approval(
                    of: resolved.user, by: input.provider, isNew: resolved.isNewUser,
                    provenBy: [.identityProvider])
                let proven = try auth.firstFactor(
                    of: resolved.user, by: input.provider, .identityProvider, on: input.device,
                    approval, resolved.history, signer, &audit, caller, at: now)
                writes += proven.writes
                factor = proven
            }
            audit.record(
                resolved.isNewUser ? .accountCreated : factor?.event ?? .signedIn,
                session: factor?.session, caller, detail: identity.provider, at: now)
            if try auth.commit(writes, &audit) {
                resolved.notice.deliver()
                factor?.deliver()
                return try answer(resolved, factor, exchange, at: now)
            }
            // 7. The token or the nonce was used concurrently, or the account was changed.
            found = try auth.store.get(lookup.keys)
            try refuseUsed(lookup, found, caller)
        }
        throw .unavailable(.contention)
    }

    private func resolveAccount(
        _ identity: VerifiedIdentity, _ input: Input, _ lookup: IdentityLookup, _ found: ReadItems,
        countsAccount: Bool, _ caller: Caller, at now: Instant
    ) throws(AuthError) -> ResolvedAccount? {
        do throws(AuthError) {
            return try ResolvedAccount(
                auth, identity, input, lookup, found, countsAccount: countsAccount, caller, at: now)
        } catch {
            if error == .account(.disabled), let owner = try auth.owner(found[lookup.ownerKey]) {
                try auth.recordFailure(
                    .signInFailed, on: auth.audit(.attempts(on: owner)), caller,
                    detail: "accountDisabled")
            }
            throw error
        }
    }

    private func refuseUsed(
        _ lookup: IdentityLookup, _ found: ReadItems, _ caller: Caller
    ) throws(AuthError) {
        do throws(AuthError) {
            try lookup.refuseUsed(found)
        } catch {
            let owner = try auth.owner(found[lookup.ownerKey])
            try auth.recordFailure(
                .signInFailed,
                on: owner.map { auth.audit(.attempts(on: $0)) } ?? auth.networkAudit(caller),
                caller,
                detail: error == .signIn(.identityTokenReused)
                    ? "identityTokenReused" : "challengeUnknown")
            throw error
        }
    }

    private func verify(
        _ input: Input, _ caller: Caller
    ) throws(AuthError) -> VerifiedIdentity {
        do {
            return try auth.verified(input.proof)
        } catch {
            guard case .signIn(.identityRejected(let failure)) = error else { throw error }
            let chain = AuditChain.network(of: caller)
            let opening = try auth.open(
                .signIn, counting: [(.address, caller.address)], reading: [chain.headKey])
            try opening.admit()
            // Without the provider's keys nothing is known about the token.
            if case .keysUnavailable = failure {
            } else {
                try auth.recordFailure(
                    .signInFailed, on: try auth.audit(chain, opening.items), caller,
                    detail: "\(failure)")
            }
            throw error
        }
    }

    private func answer(
        _ resolved: ResolvedAccount, _ factor: FirstFactor?, _ exchange: CodeExchange?,
        at now: Instant
    ) throws(AuthError) -> Output {
        Output(
            user: resolved.user, isNewUser: resolved.isNewUser, isEmailTaken: resolved.isEmailTaken,
            result: try factor?.result(for: resolved.user, at: now), codeExchange: exchange)
    }
}

extension AuthServices {
    package var signIn: SignIn { SignIn(auth: self) }
}

extension AuthOperation {
    package static let signIn = AuthOperation(
        "signIn", counting: [.address, .account], audited: .others)
}

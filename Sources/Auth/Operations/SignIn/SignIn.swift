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
        package let result: SignInResult
        package let codeExchange: CodeExchange?

        /// nil if a second factor is required.
        package var tokens: SessionTokens? {
            if case .session(let tokens) = result { tokens } else { nil }
        }
    }

    package func callAsFunction(
        _ input: Input, _ caller: Caller
    ) throws(AuthError) -> Output {
        let (resolved, result, exchange) = try perform(input, caller) {
            () throws(AuthError) -> Close<SignInResult> in
            var ending = try SignInEnding(auth, .signIn, caller)
            return { resolved, writes, now throws(AuthError) in
                let proven = ProvenSignIn(
                    user: resolved.user, provider: input.provider, method: .identityProvider,
                    detail: input.provider, audit: resolved.audit, writes: writes,
                    isNew: resolved.isNewUser, device: input.device, history: resolved.history,
                    notice: resolved.notice)
                return try ending.close(proven, at: now)
            }
        }
        return Output(
            user: resolved.user, isNewUser: resolved.isNewUser,
            isEmailTaken: resolved.isEmailTaken, result: result, codeExchange: exchange)
    }

    /// Commits these writes together with the session's writes; nil if another request changed the
    /// rows first.
    typealias Close<Result> = (
        _ resolved: ResolvedAccount, _ writes: [Write], _ now: Instant
    ) throws(AuthError) -> Result?

    /// - Parameter prepare: called when the token is verified and unused, before anything is
    ///   written, so that a failing sign-in does not consume the token.
    func perform<Result>(
        _ input: Input, _ caller: Caller, prepare: () throws(AuthError) -> Close<Result>
    ) throws(AuthError) -> (ResolvedAccount, Result, CodeExchange?) {
        // 1. Verify the token. An invalid token counts for the client's address as a valid one
        //    does.
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
        // This happens before the account is counted: replaying a used token must not lock out the
        // owner.
        try refuseUsed(lookup, found, caller)

        // 3. Get the provider's own refresh token, to be revoked with the account or the identity.
        let exchange = try auth.exchange(
            input.authorizationCode, or: input.codeExchange, identity)

        // 4. Prepare the last step: get the signing key, for example.
        let close = try prepare()

        var isAccountCounted = false
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
            let writes =
                resolved.writes + lookup.consumption
                + (try auth.keep(exchange, of: identity, in: resolved.user.id))
            if let result = try close(resolved, writes, now) { return (resolved, result, exchange) }
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
}

extension AuthServices {
    package var signIn: SignIn { SignIn(auth: self) }
}

extension AuthOperation {
    package static let signIn = AuthOperation(
        "signIn", counting: [.address, .account], audited: .others)
}

package import AuthDomain
internal import AuthRecords
internal import Cryptography
internal import IdentityProviders
internal import KeyValueStore
internal import Time
package import WebAuthn

/// A signed-in user proves the identity again (RFC 9470), for a sensitive change or for a route
/// that requires a recent or stronger proof. The session continues, and its tokens contain the new
/// proof.
///
/// A password, a mailed link or a provider's identity is enough only for an account without a
/// second factor: otherwise a stolen session plus the password would count as both. A code is
/// enough, because the session is evidence of the first factor.
package struct StepUp: Sendable {
    let auth: AuthServices

    package enum Answer: Sendable {
        case password(String)
        case secondFactor(SecondFactorAnswer)
        /// Answers a ceremony with the purpose `stepUp`. The passkey must verify the user.
        case passkey(ceremony: String, AssertionResponse)
        /// Answers a mailed sign-in link to the account's address. This is for users who sign in
        /// only by such links.
        case mail(MailAnswer, requestSecret: String)
        /// An identity token of a provider with which the account signs in.
        case identity(IdentityProof)
    }

    package struct Output: Sendable {
        package let access: AccessToken
        package let proof: SignInProof
    }

    package func callAsFunction(
        _ answer: Answer, _ caller: Caller
    ) throws(AuthError) -> Output {
        let signer = try auth.accessTokens.signer(for: .stepUp, caller)
        let proven: Proven =
            switch answer {
            case .password(let password): try prove(password, caller)
            case .secondFactor(let answer): try prove(answer, caller)
            case .passkey(let ceremony, let response): try prove(ceremony, response, caller)
            case .mail(let answer, let secret): try prove(answer, secret, caller)
            case .identity(let proof): try prove(proof, caller)
            }
        return try close(proven, signer, caller)
    }

    /// The user's proof, and the writes that use it up.
    private struct Proven {
        let principal: Principal
        let proof: SignInProof
        let writes: [Write]
        var notice = OwnerNotice.none
        var stopsRemoval = false
    }

    // MARK: The methods

    private func prove(_ password: String, _ caller: Caller) throws(AuthError) -> Proven {
        let (principal, items) = try auth.authenticate.open(caller, for: .stepUp) { user in
            [StoreLayout.password(of: user)]
        }
        try refuseFirstFactor(of: principal.user)
        guard let row = items[StoreLayout.password(of: principal.user.id)] else {
            throw .password(.notSet)
        }
        let hash = try decoded(PasswordRecord.hash(row))
        guard try auth.passwords.isRight(password, hash: hash) else {
            throw try failed(principal, caller, "password", .password(.wrongCurrentPassword))
        }
        return Proven(
            principal: principal, proof: proof(.password),
            writes: [.check(row.key, when: PasswordRecord.unchanged(row))])
    }

    private func prove(
        _ answer: SecondFactorAnswer, _ caller: Caller
    ) throws(AuthError) -> Proven {
        let owner = try FactorOwner(auth, caller, for: .stepUp)
        let now = auth.clock.now()
        let (check, proof) = try owner.check(auth, answer, caller, at: now)
        let notice =
            check.usedRecoveryCode
            ? try auth.recoveryCodeNotice(to: owner.principal.user, caller, at: now) : .none
        return Proven(
            principal: owner.principal, proof: self.proof(proof.method, includesSecondFactor: true),
            writes: [check.write()] + notice.writes, notice: notice,
            stopsRemoval: check.stopsRemoval)
    }

    private func prove(
        _ ceremony: String, _ response: AssertionResponse, _ caller: Caller
    ) throws(AuthError) -> Proven {
        let identity = LinkedIdentity.passkey(
            response.id, at: try auth.passkeys.relyingParty.id)
        let secret = CeremonySecret(parsing: ceremony)
        let (principal, items) = try auth.authenticate.open(
            caller, for: .stepUp, using: try auth.use(of: secret)
        ) { user in
            [StoreLayout.passkey(identity.subject, of: user), StoreLayout.secondFactor(of: user)]
                + (secret.map { [$0.key] } ?? [])
        }
        let user = principal.user
        let begun = try auth.ceremony(secret, items, for: .stepUp)
        guard let secret, begun.user == user.id, begun.epoch == user.epoch else {
            throw .passkey(.ceremonyInvalid)
        }
        let used = try auth.verified(
            response, items[StoreLayout.passkey(identity.subject, of: user.id)], of: user, begun,
            requiresUserVerification: true, recordingIn: auth.audit(.attempts(on: user.id)), caller)
        let stop = try RemovalStop(
            used.proof, items[StoreLayout.secondFactor(of: user.id)], of: user)
        return Proven(
            principal: principal, proof: proof(used.proof.method, includesSecondFactor: true),
            writes: [.delete(secret.key, when: [.present]), used.write]
                + [stop?.write].compactMap(\.self),
            stopsRemoval: stop != nil)
    }

    private func prove(
        _ answer: MailAnswer, _ requestSecret: String, _ caller: Caller
    ) throws(AuthError) -> Proven {
        let policy = try auth.magicLinks
        let link = try answer.link(AddressLink.init(parsing:)) { AddressLink(at: $0) }
        let (principal, items) = try auth.authenticate.open(
            caller, for: .stepUp, using: try answer.use(within: policy.lifetime, auth)
        ) { _ in
            link.map { [$0.key(.magicLink), $0.claimKey] } ?? []
        }
        let user = principal.user
        try refuseFirstFactor(of: user)
        // An unproven address is proven by signing in, which removes what was set up before.
        guard let link, let row = answer.accepted(items[link.key(.magicLink)]),
            case let mail = try decoded(MagicLink(row)), mail.isRequested(by: requestSecret),
            case .account(user.id, user.epoch) = mail.target, user.isEmailVerified,
            try auth.owner(items[link.claimKey]) == user.id
        else { throw try failed(principal, caller, answer.refusalDetail, answer.refusal) }
        return Proven(
            principal: principal, proof: proof(.mailedLink),
            writes: [
                .delete(row.key, when: [.present]),
                .check(link.claimKey, when: [.equals("user", .text(user.id.text))]),
            ])
    }

    private func prove(_ proof: IdentityProof, _ caller: Caller) throws(AuthError) -> Proven {
        _ = try auth.authenticate.claims(caller)
        let identity = try auth.verified(proof, for: .stepUp, by: caller)
        let lookup = IdentityLookup(
            identity, nonce: auth.issuedNonce(proof.nonce), claimsEmail: false)
        let (principal, items) = try auth.authenticate.open(caller, for: .stepUp) { _ in
            lookup.keys
        }
        try refuseFirstFactor(of: principal.user)
        try lookup.refuseUsed(items)
        guard try auth.owner(items[lookup.ownerKey]) == principal.user.id else {
            throw try failed(principal, caller, identity.provider, .method(.notFound))
        }
        return Proven(
            principal: principal, proof: self.proof(.identityProvider),
            writes: lookup.consumption
                + [
                    .check(
                        lookup.ownerKey, when: [.equals("user", .text(principal.user.id.text))])
                ])
    }

    private func refuseFirstFactor(of user: User) throws(AuthError) {
        if user.hasSecondFactor { throw .secondFactor(.required) }
    }

    private func proof(
        _ method: ProofMethod, includesSecondFactor: Bool = false
    ) -> SignInProof {
        SignInProof(
            provenAt: auth.clock.now(), [method], includesSecondFactor: includesSecondFactor)
    }

    private func failed(
        _ principal: Principal, _ caller: Caller, _ detail: String, _ error: AuthError
    ) throws(AuthError) -> AuthError {
        try auth.recordFailure(
            .stepUpFailed, on: auth.audit(.attempts(on: principal.user.id)),
            session: principal.session.id, caller, detail: detail)
        return error
    }

    // MARK: Closing

    /// Writes the proof into the session, which may be refreshed at the same time.
    private func close(
        _ proven: Proven, _ signer: AccessTokenSigner, _ caller: Caller
    ) throws(AuthError) -> Output {
        let (user, proof) = (proven.principal.user, proven.proof)
        var session = proven.principal.session
        var head = proven.principal.auditHead
        for _ in auth.attempts {
            let now = auth.clock.now()
            var next = session
            next.proofs = SessionProofs(
                signIn: session.proofs.signIn, stepUp: proof,
                inherited: session.proofs.inherited)
            next.writer = auth.random.bytes(8)
            var audit = auth.audit(.account(user.id), head)
            audit.record(
                .steppedUp, session: session.id, caller,
                detail: proof.methods.map(\.rawValue).joined(separator: " "), at: now)
            if proven.stopsRemoval {
                audit.record(
                    .secondFactorRemovalStopped, session: session.id, caller, at: now)
            }
            let added = try signer.claims(for: user, next, .stepUp)
            let write = Write.put(
                SessionRecord.item(next), when: SessionRecord.unchanged(session))
            if try auth.commit([write] + added.checks + proven.writes, &audit) {
                proven.notice.deliver()
                return try output(proven, next, signer, added, at: now)
            }
            let state = try auth.sessionState(session.id, of: user.id)
            guard let current = state.session, state.end(at: now) == nil else {
                throw .accessToken(.sessionEnded)
            }
            // The response to our own write may have been lost, and the repeated request refused.
            if current.writer == next.writer {
                return try output(proven, current, signer, added, at: now)
            }
            // If the session was not refreshed, another request used up the proof at the same time.
            guard current.writer != session.writer else { break }
            session = current
            head = .unread
        }
        throw .unavailable(.contention)
    }

    private func output(
        _ proven: Proven, _ session: Session, _ signer: AccessTokenSigner, _ added: AddedClaims,
        at now: Instant
    ) throws(AuthError) -> Output {
        Output(
            access: try signer.issue(
                to: proven.principal.user, session, adding: added, at: now),
            proof: proven.proof)
    }
}

extension AuthServices {
    package var stepUp: StepUp { StepUp(auth: self) }
}

extension AuthOperation {
    package static let stepUp = AuthOperation("stepUp", servedBy: "step-up", audited: .caller)
}

package import AuthDomain
internal import AuthRecords
internal import KeyValueStore
internal import Time

/// Merges the account of a session into another one, and returns a session of the account that
/// remains. The remaining account is proven by a ticket, for a sign-in method that the session has
/// proven (`MergeOffer`), or by one of its sessions, which any sign-in method can open
/// (`intoSession`).
///
/// One transaction makes the ended account unusable and writes the job that moves its data
/// (`MoveAccount`). Its sign-in methods are released and do not move: an attacker who tricked
/// another user into merging from the attacker's session could otherwise sign in to that user's
/// account.
///
/// The used ticket is kept, with the session that it has opened: a request that is repeated because
/// its response was lost gets the same session, as with refresh tokens.
package struct MergeAccounts: Sendable {
    let auth: AuthServices

    /// Proof of the account that remains.
    package enum Proof: Sendable {
        case ticket(String, secondFactor: SecondFactorAnswer? = nil)
        /// The user signed in recently, with the second factor if the account has one.
        case session(accessToken: String, refreshToken: String)
    }

    package struct Input: Sendable {
        package var proof: Proof
        /// The refresh token of the account that ends. With the access token it proves the session;
        /// a stolen access token alone does not.
        package var refreshToken: String
        /// The device of the session that a ticket starts.
        package var device = DeviceClaim()

        package init(_ proof: Proof, refreshToken: String) {
            self.proof = proof
            self.refreshToken = refreshToken
        }
    }

    package func callAsFunction(
        _ input: Input, _ caller: Caller
    ) throws(AuthError) -> SessionTokens {
        // 1. Check the tokens without the store.
        let signer = try auth.accessTokens.signer(for: .mergeAccounts, caller)
        let claims = try auth.authenticate.claims(caller)
        guard let refresh = try auth.refreshTokens.read(input.refreshToken) else {
            throw .refreshToken(.malformed)
        }
        switch input.proof {
        case .session(let access, let otherRefresh):
            return try intoSession(
                access, otherRefresh, of: claims, refresh, signer, caller)
        case .ticket(let text, let answer):
            return try byTicket(
                text, answer, input.device, of: claims, refresh, signer, caller)
        }
    }

    private func byTicket(
        _ text: String, _ answer: SecondFactorAnswer?, _ device: DeviceClaim,
        of claims: AccessClaims, _ refresh: PresentedRefreshToken, _ signer: AccessTokenSigner,
        _ caller: Caller
    ) throws(AuthError) -> SessionTokens {
        let link = AccountLink(parsing: text)
        var hook = SignInHook(auth, .mergeAccounts, caller)
        for attempt in auth.attempts {
            // 2. Open: both accounts, the session, the ticket, and the sessions and the second
            //    factor of the account that remains.
            let found = try MergeReading(
                auth, claims, refresh, link, isCounted: attempt == 0, caller)
            if let tokens = try repeated(found, signer, caller) { return tokens }
            let ending = try found.ending.proven(caller)
            guard let offer = try found.offer() else { throw .method(.mergeInvalid) }

            // 3. Judge the second factor, and ask the application. A wrong second factor does not
            //    consume the ticket.
            guard
                let proven = try prove(offer, found, answer, &hook, caller)
            else { continue }

            // 4. Close: use up the ticket, end one account, and write the session of the other.
            if let tokens = try close(
                offer, ending, proven, found, device, signer, caller)
            {
                return tokens
            }
        }
        throw .unavailable(.contention)
    }

    /// The proof of the remaining account: the right to open its session, and the writes that use
    /// up the proof.
    private struct Proven {
        let permit: SessionPermit
        var writes: [Write] = []
        var notice = OwnerNotice.none
    }

    /// nil if another request changed the row of the factor first.
    private func prove(
        _ offer: MergeReading.Offer, _ found: MergeReading, _ answer: SecondFactorAnswer?,
        _ hook: inout SignInHook, _ caller: Caller
    ) throws(AuthError) -> Proven? {
        let (now, other) = (auth.clock.now(), offer.other)
        let (method, provider) = (offer.pending.method, offer.pending.provider)
        guard other.hasSecondFactor else {
            let approval = try hook.approval(of: other, by: provider, provenBy: [method])
            guard let permit = SessionPermit(firstFactorOf: other, method, approval, at: now) else {
                throw .hook(.secondFactorNeeded)
            }
            return Proven(permit: permit)
        }
        guard let answer, let item = found.items[StoreLayout.secondFactor(of: other.id)] else {
            throw .secondFactor(.required)
        }
        let factor = try decoded(SecondFactorRecord.factor(item))
        let check = try SecondFactorCheck(auth, answer, item, factor, of: other, at: now)
        guard let proof = check.proof else {
            let trail = try auth.audit(.attempts(on: other.id), found.items)
            guard try check.recordFailure(auth, on: trail, caller, at: now) else { return nil }
            throw .secondFactor(.wrongCode)
        }
        let approval = try hook.approval(
            of: other, by: provider, provenBy: [method, proof.method])
        let notice =
            check.usedRecoveryCode
            ? try auth.recoveryCodeNotice(to: other, caller, at: now) : .none
        return Proven(
            permit: SessionPermit(proof, after: method, of: other, approval, at: now),
            writes: [check.write()] + notice.writes, notice: notice)
    }

    private func close(
        _ offer: MergeReading.Offer, _ ending: (user: User, session: Session), _ proven: Proven,
        _ found: MergeReading, _ device: DeviceClaim, _ signer: AccessTokenSigner,
        _ caller: Caller
    ) throws(AuthError) -> SessionTokens? {
        let (now, other) = (auth.clock.now(), offer.other)
        let history = try auth.history(of: other, first: found.page)
        var trail = try auth.audit(.account(other.id), found.items)
        let opened = try OpenedSession(
            auth, proven.permit, signIn(offer, ending.session, device, caller), history,
            signer, &trail, caller, at: now)
        trail.record(
            .accountMerged, session: opened.id, caller, detail: ending.user.id.text, at: now)
        let ended = try AccountEnding(
            auth, ending.user, ending.session, in: other, found.items, caller, at: now)
        let used = offer.pending.opening(opened.id, at: now)
        let ticket = Write.put(
            used.item(offer.row.key, expiresAt: offer.row.expiresAt ?? now),
            when: PendingMerge.unused)
        var trails = [trail, ended.trail]
        guard
            try auth.commit(
                [ticket] + ended.writes + opened.writes + proven.writes, &trails)
        else { return nil }
        proven.notice.deliver()
        opened.notice.deliver()
        ended.deliver()
        return try opened.tokens(for: other, at: now)
    }

    /// The sign-in for the session of the account that remains.
    private func signIn(
        _ offer: MergeReading.Offer, _ ending: Session, _ claim: DeviceClaim, _ caller: Caller
    ) -> PendingSignIn {
        let name = claim.name ?? ending.origin.deviceName
        let device = auth.policy.devices.map { _ in
            DeviceID(
                of: offer.other.id, fingerprint: claim.fingerprint, name: name,
                userAgent: caller.userAgent)
        }
        return PendingSignIn(
            epoch: offer.other.epoch, provider: offer.pending.provider,
            method: offer.pending.method, deviceName: name,
            deviceSystem: claim.system ?? ending.origin.deviceSystem, device: device,
            inherited: auth.inherited(
                by: offer.pending.provider, of: offer.other, at: auth.clock.now()))
    }

    /// The session that an earlier request with the same ticket has opened, because its response
    /// may have been lost. As with a replaced refresh token, this works only for a short time, and
    /// only while the session is unused.
    private func repeated(
        _ found: MergeReading, _ signer: AccessTokenSigner, _ caller: Caller
    ) throws(AuthError) -> SessionTokens? {
        let now = auth.clock.now()
        guard let (other, opened) = try found.opened(),
            case .everyUse(let grace) = auth.policy.sessions.rotation, now - opened.at < grace,
            let session = try auth.sessions(of: other, first: found.page).first(where: {
                $0.id == opened.session
            }), session.generation == 0
        else { return nil }
        if let refusal = auth.refusal(of: session, to: caller) { throw refusal }
        try found.opening.admit()
        let added = try signer.claims(for: other, session, .signIn)
        guard try auth.isStillActive(session, added) else { throw .unavailable(.contention) }
        return SessionTokens(
            access: try signer.issue(to: other, session, adding: added, at: now),
            refresh: try auth.refreshTokens.token(of: session), session: session.id, user: other)
    }
}

extension AuthServices {
    package var mergeAccounts: MergeAccounts { MergeAccounts(auth: self) }
}

extension AuthOperation {
    package static let mergeAccounts = AuthOperation(
        "mergeAccounts", servedBy: "merge", counting: [.address, .account], audited: .others)
}

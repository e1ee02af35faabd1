internal import AuthDomain
internal import AuthRecords
internal import KeyValueStore
internal import Time

extension MergeAccounts {
    /// A merge in which a session proves the account that remains: its user has just signed in with
    /// any sign-in method, and the session of the account that ends was kept.
    ///
    /// The session of the remaining account continues: no other session is started, and its refresh
    /// token is not replaced.
    func intoSession(
        _ accessToken: String, _ refreshToken: String, of claims: AccessClaims,
        _ refresh: PresentedRefreshToken, _ signer: AccessTokenSigner, _ caller: Caller
    ) throws(AuthError) -> SessionTokens {
        guard auth.policy.merging != nil else { throw .fault(.serviceNotConfigured) }
        // 1. Check the other session's tokens without the store.
        let otherClaims = try ofOtherSession { () throws(AuthError) in
            try auth.accessTokens.verify(accessToken, at: auth.clock.now())
        }
        guard let otherRefresh = try auth.refreshTokens.read(refreshToken),
            otherClaims.user != claims.user
        else { throw .method(.mergeSessionInvalid) }

        for attempt in auth.attempts {
            // 2. Open: both sessions and both accounts.
            let isFirst = attempt == 0
            let opening = try auth.open(
                .mergeAccounts,
                counting: isFirst
                    ? [(.address, caller.address), (.account, claims.user.text)] : [],
                reading: MergeSession.keys(claims) + MergeSession.keys(otherClaims),
                provenBy: isFirst ? caller.key : nil)
            let ending = try MergeSession(auth, claims, refresh, opening)
            let staying = try MergeSession(auth, otherClaims, otherRefresh, opening)

            // 3. Both must be active and recent. A request that is repeated because its response
            //    was lost gets the same answer.
            let isRepeated = try ending.hasEnded(in: otherClaims.user, epoch: nil)
            let ended = isRepeated ? nil : try ending.proven(caller)
            let (other, session) = try ofOtherSession { () throws(AuthError) in
                try staying.proven(caller)
            }
            guard !other.isGuest else { throw .method(.mergeSessionInvalid) }

            // 4. Ask the application, and close: the write that ends the account fails if either
            //    session has ended in the meantime.
            let added = try signer.claims(for: other, session, .refresh)
            if let ended {
                guard try endAccount(ended, in: other, session, opening.items, caller) else {
                    continue
                }
            } else if try !auth.isStillActive(session, added) {
                continue
            }
            return SessionTokens(
                access: try signer.issue(
                    to: other, session, adding: added, at: auth.clock.now()),
                refresh: try auth.refreshTokens.token(of: session), session: session.id,
                user: other)
        }
        throw .unavailable(.contention)
    }

    /// Returns false if another request changed the rows first.
    private func endAccount(
        _ ended: (user: User, session: Session), in other: User, _ session: Session,
        _ items: ReadItems, _ caller: Caller
    ) throws(AuthError) -> Bool {
        let now = auth.clock.now()
        let end = try AccountEnding(
            auth, ended.user, ended.session, in: other, items, caller, at: now)
        var trail = try auth.audit(.account(other.id), items)
        trail.record(
            .accountMerged, session: session.id, caller, detail: ended.user.id.text, at: now)
        var trails = [trail, end.trail]
        let unchanged = Write.check(
            StoreLayout.session(session.id, of: other.id), when: SessionRecord.unchanged(session))
        guard try auth.commit([unchanged] + end.writes, &trails) else { return false }
        end.deliver()
        return true
    }

    /// A client must not mistake the refusal of the other session for a refusal of its own session.
    private func ofOtherSession<Result>(
        _ body: () throws(AuthError) -> Result
    ) throws(AuthError) -> Result {
        do {
            return try body()
        } catch .accessToken, .refreshToken, .account, .session, .proof {
            throw .method(.mergeSessionInvalid)
        }
    }
}

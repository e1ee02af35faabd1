internal import AuthDomain
internal import AuthRecords
internal import KeyValueStore
internal import Time

/// What a merge reads, in one trip: the account that ends is in the access token, and the one that
/// stays in the ticket.
struct MergeReading {
    let opening: Opening
    private let auth: AuthServices
    private let claims: AccessClaims
    private let link: AccountLink?
    private let ending: SessionState
    private let other: User?

    var items: ReadItems { opening.items }
    var page: Page? { opening.page }

    /// - Parameter isCounted: false for a request that lost a race.
    init(
        _ auth: AuthServices, _ claims: AccessClaims, _ link: AccountLink?, isCounted: Bool,
        _ caller: Caller
    ) throws(AuthError) {
        var keys =
            SessionState.keys(claims.session, of: claims.user)
            + [AuditChain.account(claims.user).headKey]
        // A ticket never names the account that ends.
        let link = link.flatMap { $0.user == claims.user ? nil : $0 }
        if let link {
            keys += [
                PendingMerge.key(link, of: claims.user), StoreLayout.profile(link.user),
                StoreLayout.secondFactor(of: link.user), AuditChain.account(link.user).headKey,
                AuditChain.attempts(on: link.user).headKey,
            ]
        }
        let opening = try auth.open(
            .mergeAccounts,
            counting: isCounted
                ? [(.address, caller.address), (.account, claims.user.text)] : [],
            reading: keys, listing: link.map { auth.sessionsQuery($0.user) },
            provenBy: isCounted ? caller.key : nil)
        ending = try SessionState(opening.items, claims.session, of: claims.user)
        other = try link.flatMap { link throws(AuthError) in try opening.items.user(link.user) }
        self.opening = opening
        self.auth = auth
        self.claims = claims
        self.link = link
    }

    // MARK: The account that ends

    /// The session whose account ends: active, proven recently where there is anything to prove, and
    /// presented with its refresh token.
    func endingSession(
        _ refresh: PresentedRefreshToken, _ caller: Caller
    ) throws(AuthError) -> (user: User, session: Session) {
        let now = auth.clock.now()
        switch ending.end(at: now) {
        case nil: break
        case .accountDisabled: throw .account(.disabled)
        case .deleted, .idle, .tooOld, .signedOutEverywhere, .accountDeleted:
            throw .accessToken(.sessionEnded)
        }
        guard let session = ending.session, let user = ending.user, claims.epoch == user.epoch
        else { throw .accessToken(.sessionEnded) }
        guard let generation = try generation(of: refresh, in: session) else {
            try opening.admit()
            throw .refreshToken(.unknown)
        }
        if let refusal = auth.refusal(of: session, to: caller) { throw refusal }
        let use = session.present(
            generation: generation, at: now, rotation: auth.policy.sessions.rotation)
        switch use {
        case .advance, .repeatSuccessor, .keep: break
        case .reuse(let reuse):
            var audit = try auth.audit(.account(user.id), items)
            // If the session was changed meanwhile, the next use of the token is judged again.
            _ = try auth.revoke(session, user, for: reuse, &audit, caller, at: now)
            throw .refreshToken(reuse == .previous ? .reusedPrevious : .reusedOlder)
        case .expired: throw .refreshToken(.expired)
        case .unknown: throw .refreshToken(.unknown)
        }
        try opening.admit()
        let requirement = ProofRequirement.sensitiveChange(
            of: user, givesSecondFactor: false, within: auth.policy.sessions.recentSignIn)
        guard session.proofs.meet(requirement, at: now) else {
            throw .session(.recentSignInRequired(requirement))
        }
        return (user, session)
    }

    /// The generation of a refresh token; nil if it is not one of the session.
    private func generation(
        of token: PresentedRefreshToken, in session: Session
    ) throws(AuthError) -> Int64? {
        guard !token.hasExpired(at: auth.clock.now()) else { throw .refreshToken(.expired) }
        switch token {
        case .placed(let place, let proof, _):
            guard place.user == claims.user, place.session == claims.session else { return nil }
            return try auth.refreshTokens.isProven(proof, place, by: session)
                ? place.generation : nil
        // Found by its hash alone, so only the current token is known without another read.
        case .stored(let hash):
            guard let current = try auth.refreshTokens.lookupHash(of: session) else { return nil }
            return current.elementsEqual(hash) ? session.generation : nil
        }
    }

    // MARK: The account that stays

    struct Offer {
        let row: Item
        let pending: PendingMerge
        let other: User
    }

    /// The ticket's row, and the account that it names.
    private func ticket() throws(AuthError) -> Offer? {
        guard let link, let other, let row = items[PendingMerge.key(link, of: claims.user)] else {
            return nil
        }
        let pending = try decoded(PendingMerge(row))
        guard pending.other == other.id, pending.session == claims.session else { return nil }
        return Offer(row: row, pending: pending, other: other)
    }

    /// nil if the ticket is not one of this session, was used, or is older than a change of either
    /// account.
    func offer() throws(AuthError) -> Offer? {
        guard let offer = try ticket(), offer.pending.opened == nil,
            offer.pending.epoch == ending.user?.epoch, isUsable(offer)
        else { return nil }
        return offer
    }

    private func isUsable(_ offer: Offer) -> Bool {
        let other = offer.other
        return other.deletedAt == nil && !other.isDisabled
            && offer.pending.otherEpoch == other.epoch
    }

    /// The session that the ticket has opened, if the same session asks again.
    func opened(
        _ refresh: PresentedRefreshToken
    ) throws(AuthError) -> (other: User, PendingMerge.Opened)? {
        guard let offer = try ticket(), let opened = offer.pending.opened, isUsable(offer),
            ending.user?.mergedInto == offer.other.id, let session = ending.session,
            claims.epoch == offer.pending.epoch,
            let generation = try generation(of: refresh, in: session)
        else { return nil }
        switch session.present(
            generation: generation, at: auth.clock.now(),
            rotation: auth.policy.sessions.rotation)
        {
        case .advance, .repeatSuccessor, .keep: break
        case .reuse, .expired, .unknown: return nil
        }
        return (offer.other, opened)
    }
}

internal import AuthDomain
internal import AuthRecords
internal import KeyValueStore
internal import Time

/// A session that proves an account in a merge request: the source or the target. It is presented
/// with both of its tokens, because a stolen access token must not be enough.
struct MergeSession {
    private let auth: AuthServices
    private let claims: AccessClaims
    private let refresh: PresentedRefreshToken
    private let state: SessionState
    private let opening: Opening

    static func keys(_ claims: AccessClaims) -> [ItemKey] {
        SessionState.keys(claims.session, of: claims.user)
            + [AuditChain.account(claims.user).headKey]
    }

    /// - Parameter opening: must include `keys`.
    init(
        _ auth: AuthServices, _ claims: AccessClaims, _ refresh: PresentedRefreshToken,
        _ opening: Opening
    ) throws(AuthError) {
        self.auth = auth
        self.claims = claims
        self.refresh = refresh
        self.opening = opening
        state = try SessionState(opening.items, claims.session, of: claims.user)
    }

    var user: User? { state.user }

    /// Returns the session if it is active, if the refresh token belongs to it, and if it was
    /// proven recently. A guest's session has nothing to prove.
    func proven(_ caller: Caller) throws(AuthError) -> (user: User, session: Session) {
        let now = auth.clock.now()
        switch state.end(at: now) {
        case nil: break
        case .accountDisabled: throw .account(.disabled)
        case .deleted, .idle, .tooOld, .signedOutEverywhere, .accountDeleted:
            throw .accessToken(.sessionEnded)
        }
        guard let session = state.session, let user = state.user, claims.epoch == user.epoch
        else { throw .accessToken(.sessionEnded) }
        guard let generation = try generation(in: session) else {
            try opening.admit()
            throw .refreshToken(.unknown)
        }
        if let refusal = auth.refusal(of: session, to: caller) { throw refusal }
        let use = session.present(
            generation: generation, at: now, rotation: auth.policy.sessions.rotation)
        switch use {
        case .advance, .repeatSuccessor, .keep: break
        case .reuse(let reuse):
            var audit = try auth.audit(.account(user.id), opening.items)
            // If the session was changed in the meantime, the next use of the token is judged
            // again.
            _ = try auth.revoke(session, user, for: reuse, &audit, caller, at: now)
            throw .refreshToken(reuse == .previous ? .reusedPrevious : .reusedOlder)
        case .expired: throw .refreshToken(.expired)
        case .unknown: throw .refreshToken(.unknown)
        }
        try opening.admit()
        try auth.requireRecentSignIn(session, of: user, at: now)
        return (user, session)
    }

    /// Whether the account was merged with these tokens, so that a repeated request succeeds.
    ///
    /// - Parameter epoch: the account's epoch before the merge, if known.
    func hasEnded(in other: UserID, epoch: Int64?) throws(AuthError) -> Bool {
        guard state.user?.mergedInto == other, let session = state.session,
            epoch == nil || claims.epoch == epoch, let generation = try generation(in: session)
        else { return false }
        switch session.present(
            generation: generation, at: auth.clock.now(),
            rotation: auth.policy.sessions.rotation)
        {
        case .advance, .repeatSuccessor, .keep: return true
        case .reuse, .expired, .unknown: return false
        }
    }

    /// The generation of the refresh token; nil if the token does not belong to the session.
    private func generation(in session: Session) throws(AuthError) -> Int64? {
        guard !refresh.hasExpired(at: auth.clock.now()) else { throw .refreshToken(.expired) }
        switch refresh {
        case .placed(let place, let proof, _):
            guard place.user == claims.user, place.session == claims.session else { return nil }
            return try auth.refreshTokens.isProven(proof, place, by: session)
                ? place.generation : nil
        // A token without the session's ID is found only by its hash, so only the current token is
        // recognised without another read.
        case .stored(let hash):
            guard let current = try auth.refreshTokens.lookupHash(of: session) else { return nil }
            return current.elementsEqual(hash) ? session.generation : nil
        }
    }
}

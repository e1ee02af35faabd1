package import AuthDomain
internal import AuthRecords
internal import Cryptography
internal import KeyValueStore
internal import Time

/// Exchanges a refresh token for its successor (RFC 9700 section 4.14.2).
///
/// `Session.present` decides by generation, without I/O. The change is one conditional write of
/// one row, so of several requests with one token exactly one advances the session, and the others
/// read it again and get the same successor.
///
/// No transaction with the user's row is needed, unless a hook was asked: when all sessions of the
/// user end concurrently, the epoch increases, and a session with an older epoch has ended even if
/// it is written again.
package struct RefreshSession: Sendable {
    let auth: AuthServices

    package func callAsFunction(
        _ presented: String, _ caller: Caller
    ) throws(AuthError) -> SessionTokens {
        // 1. Get the signing key first: a wrong master key cannot decrypt it. Without this check,
        //    every token would look forged and every client would have to sign in again.
        let signer = try auth.accessTokens.signer(for: .refresh, caller)

        // 2. Refuse a forged token without a store call.
        guard let token = try auth.refreshTokens.read(presented) else {
            throw .refreshToken(.malformed)
        }

        // 3. Count, and read the session and its user.
        let (claim, opening) = try open(token, caller)
        var state = claim.state
        var head = claim.auditHead

        for _ in auth.attempts {
            let now = auth.clock.now()
            // 4. Check for reuse first: a reused token revokes its session, whatever the rate
            //    limits and even if the account is disabled.
            let decision = try decision(
                claim, state, hasExpired: token.hasExpired(at: now), caller, at: now)
            var audit = auth.audit(.account(claim.place.user), head)
            if case .reuse(let reuse, let session, let user) = decision {
                if try auth.revoke(session, user, for: reuse, &audit, caller, at: now) {
                    throw .refreshToken(reuse == .previous ? .reusedPrevious : .reusedOlder)
                }
            } else {
                try opening.admit()
                let (session, user) = try accepted(decision, claim, caller)
                // 5. Write: exactly one of several writers succeeds; the others start over.
                if auth.policy.audit.recordsRefreshes {
                    audit.record(.refreshed, session: session.id, caller, at: now)
                }
                if let (written, added) = try close(
                    decision, session, of: user, signer, caller, &audit, now)
                {
                    return SessionTokens(
                        access: try signer.issue(to: user, written, adding: added, at: now),
                        refresh: try auth.refreshTokens.token(of: written), session: written.id,
                        user: user)
                }
            }
            state = try auth.sessionState(claim.place.session, of: claim.place.user)
            head = .unread
        }
        throw .unavailable(.contention)
    }

    // MARK: Opening

    /// A presented token and the session it belongs to.
    private struct Claim {
        let place: RefreshTokenPlace
        /// nil for a token that was found by its hash, which proves its authenticity.
        let proof: [UInt8]?
        let state: SessionState
        let auditHead: AuditTrail.Head
    }

    /// The rows of a session and its user, and the head of the user's audit chain if refreshes are
    /// recorded. Otherwise the head is read only in the rare case of reuse.
    private func keys(_ place: RefreshTokenPlace) -> [ItemKey] {
        SessionState.keys(place.session, of: place.user)
            + (auth.policy.audit.recordsRefreshes
                ? [AuditChain.account(place.user).headKey] : [])
    }

    private func claim(
        _ place: RefreshTokenPlace, proof: [UInt8]?, _ items: ReadItems
    ) throws(AuthError) -> Claim {
        let headKey = AuditChain.account(place.user).headKey
        return Claim(
            place: place, proof: proof,
            state: try SessionState(items, place.session, of: place.user),
            auditHead: items.contains(headKey) ? try auth.auditHead(items[headKey]) : .unread)
    }

    private func open(
        _ token: PresentedRefreshToken, _ caller: Caller
    ) throws(AuthError) -> (Claim, Opening) {
        switch token {
        case .placed(let place, let proof, _):
            let opening = try auth.open(
                .refresh,
                counting: [(.address, caller.address), (.account, place.user.text)],
                reading: keys(place), provenBy: caller.key)
            return (try claim(place, proof: proof, opening.items), opening)
        case .stored(let hash):
            let rowKey = StoreLayout.refreshToken(hash: hash)
            let opening = try auth.open(
                .refresh, counting: [(.address, caller.address)], reading: [rowKey],
                provenBy: caller.key)
            guard let item = opening.items[rowKey] else {
                try opening.admit()
                if auth.policy.audit.recordsRefreshes {
                    try auth.recordFailure(
                        .refreshFailed, on: auth.networkAudit(caller), caller,
                        detail: RefreshTokenError.unknown.rawValue)
                }
                throw .refreshToken(.unknown)
            }
            let place = try decoded(RefreshTokenRecord.place(item))
            // The user is known only now. The read counts the request too, so that takes no further
            // round trip.
            let second = try auth.open(
                .refresh, counting: [(.account, place.user.text)],
                reading: keys(place))
            return (try claim(place, proof: nil, second.items), second.after(opening))
        }
    }

    // MARK: Judging

    private enum Decision {
        case advance(Session, User)
        case repeatSuccessor(Session, User)
        case keep(Session, User)
        case reuse(Session.ReuseClass, Session, User)
        case refused(AuthError)

        func accepted() throws(AuthError) -> (Session, User) {
            switch self {
            case .advance(let session, let user), .repeatSuccessor(let session, let user),
                .keep(let session, let user), .reuse(_, let session, let user):
                return (session, user)
            case .refused(let error): throw error
            }
        }
    }

    private func decision(
        _ claim: Claim, _ state: SessionState, hasExpired: Bool, _ caller: Caller, at now: Instant
    ) throws(AuthError) -> Decision {
        let end = state.end(at: now)
        switch end {
        case nil, .accountDisabled: break
        case .idle, .tooOld: return .refused(.refreshToken(.expired))
        case .deleted, .signedOutEverywhere, .accountDeleted:
            return .refused(.refreshToken(.sessionEnded))
        }
        guard let session = state.session, let user = state.user else {
            return .refused(.refreshToken(.sessionEnded))
        }
        if let proof = claim.proof,
            !(try auth.refreshTokens.isProven(proof, claim.place, by: session))
        {
            return .refused(.refreshToken(.unknown))
        }
        let refusal = auth.refusal(of: session, to: caller)
        // The key is checked before reuse: with a stolen token that is bound to a key, an attacker
        // can do nothing without the key, not even end the session.
        if let refusal, claim.place.generation >= session.boundGeneration {
            return .refused(refusal)
        }
        let decision = session.present(
            generation: claim.place.generation, at: now, rotation: auth.policy.sessions.rotation)
        if case .reuse(let reuse) = decision { return .reuse(reuse, session, user) }
        if hasExpired { return .refused(.refreshToken(.expired)) }
        if let refusal { return .refused(refusal) }
        if end == .accountDisabled { return .refused(.account(.disabled)) }
        switch decision {
        case .advance: return .advance(session, user)
        case .repeatSuccessor: return .repeatSuccessor(session, user)
        case .keep: return .keep(session, user)
        case .expired: return .refused(.refreshToken(.expired))
        case .unknown, .reuse: return .refused(.refreshToken(.unknown))
        }
    }

    private func accepted(
        _ decision: Decision, _ claim: Claim, _ caller: Caller
    ) throws(AuthError) -> (Session, User) {
        do throws(AuthError) {
            return try decision.accepted()
        } catch {
            guard auth.policy.audit.recordsRefreshes else { throw error }
            guard let detail = Self.detail(of: error) else { throw error }
            try auth.recordFailure(
                .refreshFailed, on: auth.audit(.attempts(on: claim.place.user)),
                session: claim.place.session, caller, detail: detail)
            throw error
        }
    }

    private static func detail(of error: AuthError) -> String? {
        switch error {
        case .refreshToken(let refusal): refusal.rawValue
        case .proof(let refusal): "proof \(refusal.rawValue)"
        case .account(.disabled): "accountDisabled"
        default: nil
        }
    }

    // MARK: Closing

    /// The session as stored now, and the application's claims for its token; nil if another
    /// request changed the session first.
    private func close(
        _ decision: Decision, _ session: Session, of user: User, _ signer: AccessTokenSigner,
        _ caller: Caller, _ audit: inout AuditTrail, _ now: Instant
    ) throws(AuthError) -> (Session, AddedClaims)? {
        var next = session
        let key = session.clientKey == nil ? try auth.keyToBind(caller) : nil
        switch decision {
        // A repetition does not bind the session to a key if the first request did not: it may come
        // from another client.
        case .repeatSuccessor:
            let added = try signer.claims(for: user, session, .refresh)
            return try auth.isStillActive(session, added) ? (session, added) : nil
        case .advance:
            next.generation += 1
            next.keyID = try auth.refreshTokens.keyID
        case .keep, .reuse, .refused: break
        }
        if let key {
            next.clientKey = key
            next.boundGeneration = next.generation
        }
        next.lastUsedAt = now
        next.idleExpiresAt = now + auth.policy.idleLifetime(of: user)
        if user.isGuest { next.absoluteExpiresAt = now + auth.policy.sessions.absoluteLifetime }
        next.writer = auth.random.bytes(8)
        next.refreshes = try counted(session, at: now)
        let added = try signer.claims(for: user, session, .refresh)
        var writes = added.checks
        if case .advance = decision {
            writes.append(.put(SessionRecord.item(next), when: SessionRecord.unchanged(session)))
            if let row = try auth.lookupRow(of: next) {
                writes.append(.put(row, when: [.absent]))
            }
        } else {
            writes.append(
                .put(SessionRecord.item(next), when: SessionRecord.unchangedProofs(session)))
        }
        if try auth.commit(writes, &audit) { return (next, added) }
        // The response to our own write may have been lost, and the repeated request refused.
        let found = try auth.sessionState(session.id, of: session.user).session
        return found?.writer == next.writer ? (next, added) : nil
    }

    /// Only successful refreshes count, in the session's own row: otherwise a thief could use up
    /// the limit to prevent the detection of the owner's reused token.
    private func counted(
        _ session: Session, at now: Instant
    ) throws(AuthError) -> RequestCount {
        guard
            let limit = auth.policy.limits.first(where: {
                $0.operation == .refresh && $0.subject == .session
            })
        else { return session.refreshes }
        let count = session.refreshes.adding(at: now, window: limit.window)
        guard count.count <= limit.requestsMax else {
            let window = RateLimitWindow(limit, at: now)
            throw .rateLimited(retryAfterSeconds: window.retryAfterSeconds(at: now))
        }
        return count
    }
}

extension AuthServices {
    /// The row by which the session's current token is found, if its form needs one.
    func lookupRow(of session: Session) throws(AuthError) -> Item? {
        guard let hash = try refreshTokens.lookupHash(of: session) else { return nil }
        let place = RefreshTokenPlace(
            user: session.user, session: session.id, generation: session.generation)
        let expiresAt =
            switch policy.sessions.rotation {
            case .everyUse: session.expiresAt
            case .never: session.absoluteExpiresAt
            }
        return RefreshTokenRecord.item(hash: hash, place, expiresAt: expiresAt)
    }

    package var refresh: RefreshSession { RefreshSession(auth: self) }
}

extension AuthOperation {
    package static let refresh = AuthOperation("refresh", audited: .others)
}

package import AuthDomain
internal import AuthRecords
internal import KeyValueStore
package import Time

/// Shows the sessions of all users to an operator, or the session of a token. It has no route: the
/// platform decides who may invoke the function.
package struct InspectSessions: Sendable {
    package static let pageStandard: Int64 = 100
    package static let pageMax: Int64 = 1000
    /// If a call takes longer than this, it ends early with a `next`, because a store may have many
    /// rows and few sessions.
    package static let durationMax = Span.seconds(5)

    let auth: AuthServices

    package struct Page: Sendable {
        package fileprivate(set) var sessions: [InspectedSession] = []
        /// The number of rows that cannot be read.
        package fileprivate(set) var unreadable = 0
        /// Where the next call continues; nil at the end. A page may have fewer sessions than were
        /// asked for, even none, and still have a `next`.
        package fileprivate(set) var next: String?
    }

    /// The sessions, active or not, user by user.
    ///
    /// - Parameter after: `next` of the previous call; any other text starts at the first user.
    package func page(limit: Int64, after: String?) throws(AuthError) -> Page {
        let limit = Int(min(max(limit, 1), Self.pageMax))
        let end = auth.clock.now() + Self.durationMax
        var page = Page()
        var place = after.flatMap(ItemKey.init(cursor:))
        if let key = place, let user = StoreLayout.owner(of: key),
            key.sort.utf8.starts(with: StoreLayout.sessionPrefix.utf8)
        {
            place = try add(user, after: key.sort, limit, &page)
        }
        while page.sessions.count < limit {
            let found = try auth.store.partitions(
                withPrefix: StoreLayout.userPrefix, after: place)
            for key in found.keys {
                place = key
                if let user = StoreLayout.owner(of: key) {
                    place = try add(user, after: nil, limit, &page)
                }
                guard page.sessions.count < limit, auth.clock.now() < end else {
                    page.next = place?.cursor
                    return page
                }
            }
            guard let next = found.next else { return page }
            // The position may be within a user's sessions, but this user has been handled.
            place = StoreLayout.owner(of: next).map(StoreLayout.profile) ?? next
            guard auth.clock.now() < end else { break }
        }
        page.next = place?.cursor
        return page
    }

    /// Adds a user's sessions, and returns the place after them: after the last one that fits, or
    /// after all rows of the user.
    private func add(
        _ user: UserID, after sort: String?, _ limit: Int, _ page: inout Page
    ) throws(AuthError) -> ItemKey {
        let profile = StoreLayout.profile(user)
        var query = PartitionQuery(
            profile.partition, prefix: StoreLayout.sessionPrefix,
            limit: limit - page.sessions.count, after: sort)
        let opening = try auth.store.read([profile], listing: query)
        let account = Result { () throws(AuthError) in try opening.items.user(user) }
        var rows = opening.page
        while let current = rows {
            for item in current.items {
                guard let id = SessionRecord.id(of: item), case .success(let account) = account,
                    let session = try? SessionRecord.session(item, id: id, user: user)
                else {
                    page.unreadable += 1
                    continue
                }
                page.sessions.append(inspected(session, account))
            }
            guard let next = current.next else { break }
            guard page.sessions.count < limit else { return ItemKey(profile.partition, next) }
            query.limit = limit - page.sessions.count
            query.after = next
            rows = try auth.store.query(query)
        }
        return profile
    }

    /// Describes a session; nil if it does not exist.
    package func session(
        _ session: SessionID, of user: UserID
    ) throws(AuthError) -> InspectedSession? {
        let state = try auth.sessionState(session, of: user)
        return state.session.map { inspected($0, state.user) }
    }

    /// What a refresh would do with a refresh token; nil if the token is malformed, forged, or of a
    /// form that does not contain its session. Changes nothing, so reuse has no effect.
    package func token(_ presented: String) throws(AuthError) -> InspectedToken? {
        guard case .placed(let place, let proof, _)? = try auth.refreshTokens.read(presented)
        else { return nil }
        guard let found = try session(place.session, of: place.user) else {
            return InspectedToken(place: place, session: nil, use: nil)
        }
        guard try auth.refreshTokens.isProven(proof, place, by: found.session) else { return nil }
        let use = found.session.present(
            generation: place.generation, at: auth.clock.now(),
            rotation: auth.policy.sessions.rotation)
        return InspectedToken(place: place, session: found, use: use)
    }

    private func inspected(_ session: Session, _ user: User?) -> InspectedSession {
        let now = auth.clock.now()
        var graceLeft: Span?
        if case .everyUse(let grace) = auth.policy.sessions.rotation, session.generation > 0 {
            let passed = max(.zero, now - session.lastUsedAt)
            graceLeft = .milliseconds(max(0, grace.milliseconds - passed.milliseconds))
        }
        return InspectedSession(
            session: session, end: SessionEnd.of(session, user, at: now), graceLeft: graceLeft)
    }
}

package struct InspectedSession: Sendable {
    package let session: Session
    /// Why the session has ended; nil if it is active.
    package let end: SessionEnd?
    /// The remaining time in which the previous refresh token still gets the same successor; nil if
    /// there is no previous one.
    package let graceLeft: Span?
}

package struct InspectedToken: Sendable {
    package let place: RefreshTokenPlace
    /// The session; nil if it does not exist.
    package let session: InspectedSession?
    package let use: Session.TokenUse?
}

extension AuthServices {
    package var inspectSessions: InspectSessions { InspectSessions(auth: self) }
}

extension AuthOperation {
    package static let inspectSessions = AuthOperation("inspectSessions", servedBy: "audit")
    package static let inspectSession = AuthOperation("inspectSession", servedBy: "audit")
}

internal import AuthDomain
internal import AuthRecords
internal import Bytes
internal import Cryptography
internal import KeyValueStore
internal import Time

/// The sessions that a transaction ends, if third-party clients must be notified of the ends.
/// `AuthServices.commit` adds these writes to every transaction, whatever ends the sessions.
struct EndedSessions {
    private let notices: [LogoutNotice]
    private let auth: AuthServices

    /// The maximum time that the response waits, so that a browser that returns to a client finds
    /// its session there ended.
    static let waitMax = Span.seconds(2)
    /// During this time housekeeping leaves the first attempt to the request.
    private static let lease = Span.seconds(30)

    init(in writes: [Write], _ auth: AuthServices) {
        self.auth = auth
        guard auth.policy.oauth != nil else {
            notices = []
            return
        }
        let now = auth.clock.now()
        let due = auth.oauthIfOn?.logout == nil ? now : now + Self.lease
        notices = LogoutNotice.ends(in: writes).map { end in
            LogoutNotice(user: end.user, ended: end.ended, endedAt: now, due: due)
        }
    }

    var writes: [Write] { notices.map { .put($0.item, when: []) } }

    /// Notifies the clients. Call this after the writes are committed. Housekeeping repeats failed
    /// attempts.
    func tellClients() {
        guard !notices.isEmpty, auth.oauthIfOn?.logout != nil else { return }
        let (auth, notices) = (auth, notices)
        auth.afterReply.addBefore(Self.waitMax, auth.clock) { limit in
            _ = try? SendLogoutNotices(auth: auth).attempt(notices, within: limit)
        }
    }
}

extension AuthServices {
    /// The maximum number of clients that are notified of one session's end.
    private static let notifiedMax = 40

    /// Deletes a session. The write fails if the list of clients to notify has changed since it was
    /// read.
    ///
    /// - Parameter conditions: the conditions to use if the provider is off. Then there are no
    ///   clients to notify.
    func deletion(of session: Session, when conditions: [Condition] = []) -> Write {
        policy.oauth == nil
            ? .delete(SessionRecord.key(of: session), when: conditions)
            : SessionRecord.deletion(of: session)
    }

    /// The writes with which a client that gets an ID token will be notified of its session's end.
    /// They fail if the session has already ended.
    ///
    /// - Parameter checks: checks that the transaction already contains, perhaps of the account.
    func notifying(
        _ client: Client, of browser: Session, _ user: User, _ grant: ClientGrant,
        beside checks: [Write]
    ) -> [Write] {
        // Without an ID token the client does not know the session.
        guard client.logoutURI != nil, grant.scope.contains(StandardScope.openid.rawValue) else {
            return checks
        }
        let profile = StoreLayout.profile(user.id)
        let isAlive =
            checks.contains { $0.key == profile }
            ? checks : checks + [.check(profile, when: [UserRecord.isSameEpoch(user)])]
        guard !browser.notifies.contains(where: client.id.isSame(as:)) else {
            return isAlive + [.check(SessionRecord.key(of: browser), when: [.present])]
        }
        var next = browser
        next.notifies = browser.notifies.suffix(Self.notifiedMax - 1) + [client.id]
        next.writer = random.bytes(8)
        return isAlive + [
            .put(SessionRecord.item(next), when: SessionRecord.unchanged(browser))
        ]
    }
}

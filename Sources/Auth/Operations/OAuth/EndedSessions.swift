internal import AuthDomain
internal import AuthRecords
internal import Bytes
internal import Cryptography
internal import KeyValueStore
internal import Time

/// The ends of sessions in one transaction, of which clients of others are told. Whatever the cause
/// is, the operation commits it by `AuthServices.commit`, which adds them.
struct EndedSessions {
    private let notices: [LogoutNotice]
    private let auth: AuthServices

    /// How long the reply waits: a browser that comes back to a client should find its session
    /// ended there.
    static let waitMax = Span.seconds(2)
    /// Until then housekeeping leaves the first attempt to the request.
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

    /// Call it after the writes are committed. What fails is left to housekeeping.
    func tellClients() {
        guard !notices.isEmpty, auth.oauthIfOn?.logout != nil else { return }
        let (auth, notices) = (auth, notices)
        auth.afterReply.addBefore(Self.waitMax, auth.clock) { limit in
            _ = try? SendLogoutNotices(auth: auth).attempt(notices, within: limit)
        }
    }
}

extension AuthServices {
    /// The maximum number of clients that are told of the end of one session.
    private static let notifiedMax = 40

    /// Deletes a session. The clients that are told of it are those that were read: otherwise the
    /// write fails.
    ///
    /// - Parameter conditions: those without the provider, which has no such clients.
    func deletion(of session: Session, when conditions: [Condition] = []) -> Write {
        policy.oauth == nil
            ? .delete(SessionRecord.key(of: session), when: conditions)
            : SessionRecord.deletion(of: session)
    }

    /// The writes with which a client is told of the end of the session in which it gets an ID
    /// token. They fail if the session has ended meanwhile.
    ///
    /// - Parameter checks: those that the transaction has already, perhaps of the account.
    func notifying(
        _ client: Client, of browser: Session, _ user: User, _ grant: ClientGrant,
        beside checks: [Write]
    ) -> [Write] {
        // Without an ID token it knows of no session.
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

internal import AuthDomain
internal import AuthRecords
internal import Bytes
internal import Cryptography
internal import JOSE
internal import JSON
internal import KeyValueStore
internal import Time

/// Notifies clients of ended browser sessions, all at the same time: a client that hangs does not
/// delay the others.
struct SendLogoutNotices {
    /// How long one attempt may take.
    static let attemptMax = Span.seconds(5)
    static let noticesPerRunMax = 500
    /// The number of messages that are sent at the same time. The rest waits for the next attempt.
    private static let messagesMax = 64
    /// The pauses between attempts.
    private static let pauses: [Span] = [
        .minutes(1), .minutes(3), .minutes(6), .minutes(10), .minutes(15), .minutes(20),
    ]

    struct Counts: Equatable, Sendable {
        var sent = 0
        var failed = 0
        var dropped = 0
        var claimedElsewhere = 0
        var total: Int { sent + failed + dropped + claimedElsewhere }
    }

    let auth: AuthServices

    /// A client, and the ended session that the notice to the client is about.
    private struct Target {
        let notice: Int
        let session: SessionID
        let client: String
    }

    /// - Parameter notices: claimed notices, which no other run sends until they are due again.
    func attempt(_ notices: [LogoutNotice], within limit: Span) throws(AuthError) -> Counts {
        guard let services = auth.oauthIfOn?.logout else { return Counts() }
        var targets: [Target] = []
        for index in notices.indices {
            for session in try sessions(of: notices[index]) {
                targets += session.clients.map {
                    Target(notice: index, session: session.id, client: $0)
                }
            }
        }
        let now = auth.clock.now()
        var counts = Counts()
        var left: [Target] = Array(targets.dropFirst(Self.messagesMax))
        var sending: [(target: Target, message: LogoutMessage)] = []
        for target in targets.prefix(Self.messagesMax) {
            // The client no longer exists, or no longer wants notices.
            guard let message = try message(target, notices[target.notice].user, at: now) else {
                continue
            }
            sending.append((target, message))
        }
        let answers = sending.isEmpty ? [] : services.send(sending.map(\.message), limit)
        for ((target, _), answer) in zip(sending, answers) {
            let notice = notices[target.notice]
            switch answer {
            case .accepted:
                counts.sent += 1
                services.report(.sent(client: target.client))
            case .failed where now < notice.endedAt + LogoutNotice.lifetime:
                counts.failed += 1
                left.append(target)
                services.report(.failed(client: target.client))
            case .failed, .refused:
                counts.dropped += 1
                services.report(.dead(client: target.client))
            }
        }
        for (index, notice) in notices.enumerated() {
            try replace(notice, by: left.filter { $0.notice == index })
        }
        return counts
    }

    /// The remaining clients get another attempt.
    private func replace(_ notice: LogoutNotice, by left: [Target]) throws(AuthError) {
        let pause = Self.pauses[min(Int(clamping: notice.attempts), Self.pauses.count - 1)]
        var sessions: [SessionID] = []
        for target in left where !sessions.contains(target.session) {
            sessions.append(target.session)
        }
        let rows = sessions.map { session in
            notice.remaining(
                left.filter { $0.session == session }.map(\.client), of: session,
                due: auth.clock.now() + pause, attempts: notice.attempts + 1
            ).item
        }
        // The notice is deleted last: if this is interrupted, clients are notified again.
        let chunk = StoreLimits.writesPerTransactionMax
        let writes: [Write] = rows.map { .put($0, when: []) } + [notice.removal]
        for start in stride(from: 0, to: writes.count, by: chunk) {
            guard
                try auth.store.attempt(Array(writes[start..<min(start + chunk, writes.count)]))
            else { return }
        }
    }

    /// The ended sessions, with the clients to notify.
    private func sessions(
        of notice: LogoutNotice
    ) throws(AuthError) -> [(id: SessionID, clients: [String])] {
        switch notice.ended {
        case .session(let session, let clients): return [(session, clients)]
        case .all(let epoch):
            let rows = try auth.store.everyItem(of: auth.sessionsQuery(notice.user))
            var sessions: [(id: SessionID, clients: [String])] = []
            for row in rows where SessionRecord.notifiesClients(row) {
                guard let id = SessionRecord.id(of: row) else { continue }
                let session = try decoded(
                    SessionRecord.session(row, id: id, user: notice.user))
                // Clients were already notified of sessions that had ended before.
                guard session.epoch == epoch, notice.endedAt < session.expiresAt else { continue }
                sessions.append((id, session.notifies))
            }
            return sessions
        }
    }

    // MARK: The token

    private static let event = "http://schemas.openid.net/event/backchannel-logout"
    private static let tokenType = "logout+jwt"
    private static let tokenLifetime = Span.minutes(2)

    private func message(
        _ target: Target, _ user: UserID, at now: Instant
    ) throws(AuthError) -> LogoutMessage? {
        guard let client = try auth.client(target.client), let url = client.logoutURI else {
            return nil
        }
        return LogoutMessage(
            client: client.id, url: url, token: try token(client, target.session, user, at: now),
            isOfStranger: client.isSelfRegistered)
    }

    /// The logout token (section 2.4). It is signed like the client's ID tokens, and never contains
    /// `nonce`, so that it cannot be used as an ID token.
    private func token(
        _ client: Client, _ session: SessionID, _ user: UserID, at now: Instant
    ) throws(AuthError) -> String {
        let oauth = try auth.oauth
        let claims: JSONObject = [
            "iss": .string(oauth.issuer), "aud": .string(client.id), "sub": .string(user.text),
            "sid": .string(session.text), "iat": .number(now.seconds),
            "exp": .number((now + Self.tokenLifetime).seconds),
            "jti": .string(Base64URL.encode(auth.random.bytes(16))),
            "events": [Self.event: [:]],
        ]
        guard let key = try oauth.idTokenKeys[client.idTokenAlgorithm]?.signingKey(at: now),
            let text = try? JWT.sign(
                claims, with: key, type: Self.tokenType, includesKeyID: true)
        else { throw .fault(.signingFailed) }
        return text
    }
}

// MARK: Housekeeping

extension SendLogoutNotices {
    /// Sends the notices whose first attempt failed or was not made.
    func run(until end: Instant) throws(AuthError) -> Counts {
        var counts = Counts()
        guard auth.oauthIfOn?.logout != nil else { return counts }
        // Starts with a random shard, so that runs that end early still reach all shards in time.
        let first = Int(auth.random.bytes(1).first ?? 0)
        for offset in 0..<LogoutNotice.shards {
            let shard = (first + offset) % LogoutNotice.shards
            let isFinished = try auth.forEachDue(
                LogoutNotice.query(shard: shard), until: end, each: Self.attemptMax
            ) { (notice: LogoutNotice) throws(AuthError) in
                // The claim is also a lease.
                let claim = notice.moved(
                    to: auth.clock.now() + Self.attemptMax + Self.attemptMax,
                    attempts: notice.attempts)
                if try auth.store.attempt([notice.removal, .put(claim.item, when: [.absent])]) {
                    counts.add(try attempt([claim], within: Self.attemptMax))
                } else {
                    counts.claimedElsewhere += 1
                }
                return counts.total < Self.noticesPerRunMax
            }
            guard isFinished else { break }
        }
        return counts
    }
}

extension SendLogoutNotices.Counts {
    fileprivate mutating func add(_ other: SendLogoutNotices.Counts) {
        sent += other.sent
        failed += other.failed
        dropped += other.dropped
        claimedElsewhere += other.claimedElsewhere
    }
}

extension HousekeepingJob {
    /// Runs before the jobs that erase accounts, because the accounts' sessions name the clients.
    package static let sendLogoutNotices = HousekeepingJob(
        "logout", needs: [.oauth, .sessions], isOn: { $0.oauthIfOn != nil }
    ) { auth, end throws(AuthError) in
        let counts = try SendLogoutNotices(auth: auth).run(until: end)
        return [
            ("sent", counts.sent), ("failed", counts.failed), ("dropped", counts.dropped),
            ("claimedElsewhere", counts.claimedElsewhere),
        ]
    }
}

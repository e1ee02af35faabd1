internal import AuthDomain
internal import AuthRecords
internal import KeyValueStore
internal import Time

/// The sessions and devices of an account, from one query of its partition.
///
/// An account can have many sessions. A sign-in needs only those that it ends, so they are decoded
/// on demand.
struct SignInHistory {
    let devices: [Device]
    /// The rows of sessions, active or not.
    private let rows: [Item]
    private let account: (user: User, at: Instant)?

    /// The empty history of a new account.
    init() { (devices, rows, account) = ([], [], nil) }

    fileprivate init(_ items: [Item], of user: User, at now: Instant) throws(AuthError) {
        var (devices, rows) = ([Device](), [Item]())
        for item in items {
            if SessionRecord.isSession(item) {
                rows.append(item)
            } else if let id = DeviceRecord.id(of: item) {
                devices.append(try decoded(DeviceRecord.device(item, id: id)))
            }
        }
        (self.devices, self.rows, account) = (devices, rows, (user, now))
    }

    /// The active sessions, most recently used first.
    ///
    /// - Parameter skipped: the number of sessions that are left out. Most accounts have fewer
    ///   sessions than that.
    func sessions(after skipped: Int = 0) throws(AuthError) -> [Session] {
        guard rows.count > skipped, let (user, now) = account else { return [] }
        var uses: [(at: Int64, place: Int)] = []
        for (place, row) in rows.enumerated() {
            let lifetime = try decoded(SessionRecord.lifetime(row))
            guard SessionEnd.of(lifetime, user, at: now) == nil else { continue }
            uses.append((lifetime.lastUsedAt.milliseconds, place))
        }
        uses.sort { left, right in
            guard left.at == right.at else { return left.at > right.at }
            return rows[left.place].key.sort > rows[right.place].key.sort
        }
        var sessions: [Session] = []
        for use in uses.dropFirst(skipped) {
            let row = rows[use.place]
            guard let id = SessionRecord.id(of: row) else { continue }
            sessions.append(try decoded(SessionRecord.session(row, id: id, user: user.id)))
        }
        return sessions
    }
}

extension AuthServices {
    /// - Parameter first: the first page of `sessionsQuery`, if it was already read.
    func history(of user: User, first: Page? = nil) throws(AuthError) -> SignInHistory {
        let items = try store.everyItem(of: sessionsQuery(user.id), first: first)
        return try SignInHistory(items, of: user, at: clock.now())
    }
}

package import AuthDomain
internal import Bytes
package import KeyValueStore
package import Time

/// A notice of the end of a browser's session, or of all sessions of a user, for third-party
/// clients (OpenID Connect Back-Channel Logout 1.0). It is written in the transaction that ends the
/// sessions, so no end is forgotten.
package struct LogoutNotice: DueRecord, Equatable, Sendable {
    package enum Ended: Equatable, Sendable {
        case session(SessionID, clients: [String])
        /// All of the user's sessions with the epoch. The rows of the sessions list the clients.
        case all(epoch: Int64)
    }

    /// One partition of DynamoDB takes 1,000 write units a second.
    package static let shards = 8
    /// How long attempts to notify a client continue.
    package static let lifetime = Span.hours(1)
    /// How long a row is kept after that if housekeeping does not remove it.
    private static let retention = Span.days(1)

    package let user: UserID
    package let ended: Ended
    package let endedAt: Instant
    package let due: Instant
    /// Attempts that have failed.
    package let attempts: Int64

    package init(
        user: UserID, ended: Ended, endedAt: Instant, due: Instant, attempts: Int64 = 0
    ) {
        self.user = user
        self.ended = ended
        self.endedAt = endedAt
        self.due = due
        self.attempts = attempts
    }

    package var key: ItemKey {
        let name =
            switch ended {
            case .session(let session, _): session.text
            case .all(let epoch): "\(epoch)"
            }
        return StoreLayout.logoutNotice(
            user, shards: Self.shards, due: due.iso8601Milliseconds, name: name)
    }

    package var item: Item {
        var attributes: Attributes = [
            "user": .text(user.text), "attempts": .integer(attempts),
        ]
        attributes.set("endedAt", endedAt)
        attributes.set("due", due)
        switch ended {
        case .session(let session, let clients):
            attributes["session"] = .text(session.text)
            attributes["clients"] = .text(Words.text(clients))
        case .all(let epoch): attributes["epoch"] = .integer(epoch)
        }
        return Item(key, attributes, expiresAt: endedAt + Self.lifetime + Self.retention)
    }

    package init(_ item: Item) throws(StoreFailure) {
        let read = AttributeReader(item)
        guard let user = UserID(parsing: try read.text("user")) else {
            throw read.unreadable("user")
        }
        let ended: Ended
        if let epoch = try read.optionalInteger("epoch") {
            ended = .all(epoch: epoch)
        } else {
            guard let session = SessionID(parsing: try read.text("session")) else {
                throw read.unreadable("session")
            }
            ended = .session(session, clients: Words.list(try read.text("clients")))
        }
        self.init(
            user: user, ended: ended, endedAt: try read.instant("endedAt"),
            due: try read.instant("due"), attempts: try read.integer("attempts"))
    }

    package static func query(shard: Int, limit: Int = 25) -> PartitionQuery {
        PartitionQuery(StoreLayout.logoutNotices(shard: shard), limit: limit)
    }

    /// Deletes the row if it is unchanged since it was read.
    package var removal: Write {
        .delete(key, when: [.equals("attempts", .integer(attempts))])
    }

    /// The same notice, due at another time.
    package func moved(to due: Instant, attempts: Int64) -> LogoutNotice {
        LogoutNotice(user: user, ended: ended, endedAt: endedAt, due: due, attempts: attempts)
    }

    /// The remaining notice for one session.
    package func remaining(
        _ clients: [String], of session: SessionID, due: Instant, attempts: Int64
    ) -> LogoutNotice {
        LogoutNotice(
            user: user, ended: .session(session, clients: clients), endedAt: endedAt, due: due,
            attempts: attempts)
    }
}

extension LogoutNotice {
    /// The ends of sessions in a transaction, derived from its conditions: of a session with
    /// clients to notify, and of all sessions of an account whose epoch is raised.
    package static func ends(in writes: [Write]) -> [(user: UserID, ended: Ended)] {
        writes.compactMap { write -> (user: UserID, ended: Ended)? in
            guard let user = StoreLayout.owner(of: write.key) else { return nil }
            switch write {
            case .delete(let key, let conditions):
                let clients = SessionRecord.clients(toldBy: conditions)
                guard !clients.isEmpty, let session = SessionRecord.id(of: key) else { return nil }
                return (user: user, ended: .session(session, clients: clients))
            case .put(let item, let conditions):
                guard let epoch = UserRecord.endedEpoch(item, conditions) else { return nil }
                return (user: user, ended: .all(epoch: epoch))
            case .check: return nil
            }
        }
    }
}

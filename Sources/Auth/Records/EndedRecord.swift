package import AuthDomain
internal import Bytes
package import KeyValueStore
package import Time

/// The sessions and tokens of one user or one client that one transaction ended. The record is
/// written in that transaction, so no end is forgotten.
package struct EndedRecord: Equatable, Sendable {
    package enum Subject: Equatable, Sendable {
        case user(UserID)
        /// A third-party client. Its tokens are no longer accepted.
        case client(String)
    }

    /// One partition of DynamoDB takes 1,000 write units a second.
    package static let shards = 4
    /// The retention is longer than the lifetime of any access token.
    private static let retention = Span.hours(26)

    package let subject: Subject
    package private(set) var endedAt: Instant
    /// The IDs of sessions, and of passkeys in the form of `passkey`.
    package private(set) var ids: [String] = []
    /// The user's epoch, if it was raised.
    package private(set) var epoch: Int64?

    fileprivate init(_ subject: Subject, endedAt: Instant) {
        self.subject = subject
        self.endedAt = endedAt
    }

    /// The name of a passkey in tokens of sessions that end with it.
    package static func passkey(_ id: String, of user: UserID) -> String {
        StoreLayout.digest([user.text, id])
    }

    // MARK: The row

    /// - Parameter name: a part of the key that makes it unique.
    package func item(named name: String) -> Item {
        var attributes: Attributes = [:]
        switch subject {
        case .user(let user): attributes["user"] = .text(user.text)
        case .client(let client): attributes["client"] = .text(client)
        }
        attributes.set("endedAt", endedAt)
        if !ids.isEmpty { attributes["ids"] = .text(Words.text(ids)) }
        if let epoch { attributes["epoch"] = .integer(epoch) }
        return Item(
            StoreLayout.ended(subject.text, at: endedAt, name: name), attributes,
            expiresAt: endedAt + Self.retention)
    }

    package init(_ item: Item) throws(StoreFailure) {
        let read = AttributeReader(item)
        let endedAt = try read.instant("endedAt")
        if let client = try read.optionalText("client") {
            self.init(.client(client), endedAt: endedAt)
            return
        }
        guard let user = UserID(parsing: try read.text("user")) else {
            throw read.unreadable("user")
        }
        self.init(.user(user), endedAt: endedAt)
        ids = Words.list(try read.optionalText("ids") ?? "")
        epoch = try read.optionalInteger("epoch")
    }

    /// The rows of a shard since a time, the oldest first.
    package static func query(shard: Int, since: Instant) -> PartitionQuery {
        PartitionQuery(
            StoreLayout.endedPartition(shard), limit: StoreLimits.itemsPerPageMax,
            after: since.iso8601Milliseconds)
    }
}

extension EndedRecord.Subject {
    fileprivate var text: String {
        switch self {
        case .user(let user): user.text
        case .client(let client): client
        }
    }
}

extension EndedRecord {
    /// The ends in a transaction, derived from its writes: sessions and passkeys that it deletes,
    /// epochs that it raises, and clients that it disables, deletes, or ends all grants of.
    package static func ends(in writes: [Write], at now: Instant) -> [EndedRecord] {
        var records: [EndedRecord] = []
        func change(_ subject: Subject, _ change: (inout EndedRecord) -> Void) {
            let index = records.firstIndex { $0.subject == subject } ?? records.count
            if index == records.count { records.append(EndedRecord(subject, endedAt: now)) }
            change(&records[index])
        }
        for write in writes {
            if let user = StoreLayout.owner(of: write.key) {
                switch write {
                case .delete(let key, _):
                    guard let id = name(of: key, user) else { continue }
                    change(.user(user)) { $0.ids.append(id) }
                case .put(let item, let conditions):
                    guard let epoch = UserRecord.raisedEpoch(item, conditions) else { continue }
                    change(.user(user)) { $0.epoch = epoch }
                case .check: continue
                }
            } else if let (client, since) = ClientRecord.ended(by: write) {
                change(.client(client)) { $0.endedAt = since ?? now }
            }
        }
        return records
    }

    /// The name by which tokens refer to this row, if they end when it is deleted.
    private static func name(of key: ItemKey, _ user: UserID) -> String? {
        if StoreLayout.isPasskey(key) { return passkey(StoreLayout.passkeyID(key), of: user) }
        return (SessionRecord.id(of: key) ?? SessionRecord.grantID(of: key))?.text
    }
}

extension StoreLayout {
    /// The key of an ended record. The records are in the order of time.
    static func ended(_ subject: String, at time: Instant, name: String) -> ItemKey {
        let shard = Int(digestBytes([subject])[0]) % EndedRecord.shards
        return ItemKey(endedPartition(shard), "\(time.iso8601Milliseconds)#\(name)")
    }

    package static func endedPartition(_ shard: Int) -> String { "ENDED#\(shard)" }
}

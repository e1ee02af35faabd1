package import AuthDomain
internal import AuthRecords
internal import JOSE
internal import KeyValueStore
package import Time

/// The state of a deployment for its administrators: its health, keys, waiting mail, undelivered
/// webhook events, unfinished deletions, and the actions of administrators. Each list is one page
/// of a partition.
package struct InspectSystem: Sendable {
    /// The rows of one list.
    package static let listedMax = 25

    let auth: AuthServices

    package func callAsFunction() throws(AuthError) -> SystemState {
        var mails: [WaitingMail] = []
        for shard in 0..<OutboxRecord.shards {
            let page = try auth.store.query(
                OutboxRecord.query(shard: shard, limit: Self.listedMax))
            for item in page.items {
                let record = try decoded(OutboxRecord(item))
                mails.append(
                    WaitingMail(
                        due: record.due, attempts: record.attempts,
                        validUntil: record.validUntil))
            }
        }
        mails.sort { $0.due < $1.due }
        let start = auth.clock.now()
        let read = try auth.store.read(
            [StoreLayout.masterKey, StoreLayout.lastHousekeeping],
            listing: DeletionRecord.query(limit: Self.listedMax))
        let now = auth.clock.now()
        let keys = try auth.signingKeys.stored?.read() ?? []
        return SystemState(
            at: now, readTime: now - start,
            lastHousekeeping: try read.items[StoreLayout.lastHousekeeping].map {
                item throws(AuthError) in try decoded(HousekeepingRecord(item)).endedAt
            },
            housekeepingInterval: auth.housekeepingInterval ?? .minutes(1),
            keys: keys.map { key in
                SystemState.Key(
                    id: key.verificationKey.kid ?? "", createdAt: key.createdAt,
                    usableFrom: key.usableFrom, expiresAt: key.expiresAt,
                    isSigning: key.slot
                        == keys.last { $0.usableFrom <= now }?.slot)
            },
            makesKeys: auth.signingKeys.stored != nil,
            nextKeyAt: keys.last.flatMap { auth.signingKeys.stored?.successorDue(to: $0) },
            masterKeySince: try read.items[StoreLayout.masterKey].map { item throws(AuthError) in
                try decoded(MasterKeyRecord(item)).since
            },
            isMasterKeyReplaced: try !auth.masterKeyIDs.previous.isEmpty,
            mails: mails, webhooksDue: try webhooksDue(),
            webhooks: try auth.listDeadWebhooks(limit: Int64(Self.listedMax), after: nil).webhooks,
            roleHolders: try auth.findUsers.withRoles().users,
            deletions: read.page?.items.count ?? 0,
            deletionsDue: try read.page?.items.first.map { item throws(AuthError) in
                try decoded(DeletionRecord(item)).due
            },
            administration: try CheckedEvents(
                auth, of: [.administration, .administrationAttempts], count: Self.listedMax,
                after: nil))
    }

    /// When the oldest queue of events is due.
    private func webhooksDue() throws(AuthError) -> Instant? {
        guard auth.webhooks != nil else { return nil }
        var oldest: Instant?
        for shard in 0..<DueWebhooks.shards {
            let page = try auth.store.query(DueWebhooks.query(shard: shard, limit: 1))
            guard let item = page.items.first else { continue }
            let due = try decoded(DueWebhooks(item)).due
            oldest = min(due, oldest ?? due)
        }
        return oldest
    }
}

package struct SystemState: Sendable {
    package struct Key: Sendable {
        package let id: String
        package let createdAt: Instant
        package let usableFrom: Instant
        /// Set once a successor is published.
        package let expiresAt: Instant?
        package let isSigning: Bool
    }

    package let at: Instant
    /// How long one read of the store took.
    package let readTime: Span
    /// nil if no run has ended yet.
    package let lastHousekeeping: Instant?
    package let housekeepingInterval: Span
    package let keys: [Key]
    /// False if the operator configured the key.
    package let makesKeys: Bool
    /// When the next key is published.
    package let nextKeyAt: Instant?
    /// When housekeeping first saw the current master key.
    package let masterKeySince: Instant?
    /// Whether a previous master key is configured.
    package let isMasterKeyReplaced: Bool
    /// The mails in the order in which they are due.
    package let mails: [WaitingMail]
    package let webhooksDue: Instant?
    package let webhooks: [ListedWebhook]
    /// The accounts with a role.
    package let roleHolders: [User]
    package let deletions: Int
    package let deletionsDue: Instant?
    package let administration: CheckedEvents
}

/// A message of the outbox, whose content is encrypted.
package struct WaitingMail: Sendable {
    package let due: Instant
    package let attempts: Int64
    package let validUntil: Instant
}

extension AuthServices {
    package var inspectSystem: InspectSystem { InspectSystem(auth: self) }
}

extension AuthOperation {
    package static let inspectSystem = AuthOperation(
        "inspectSystem", servedBy: "admin", counting: [])
}

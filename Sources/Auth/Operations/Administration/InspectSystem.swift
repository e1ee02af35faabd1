package import AuthDomain
internal import AuthRecords
internal import JOSE
internal import KeyValueStore
package import Time

/// The state of a deployment for its administrators: keys, waiting mail, events that no webhook took,
/// unfinished deletions, and what administrators did. Each list is one page of a partition.
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
        let read = try auth.store.read(
            [StoreLayout.masterKey], listing: DeletionRecord.query(limit: Self.listedMax))
        let now = auth.clock.now()
        let keys = try auth.signingKeys.stored?.read() ?? []
        return SystemState(
            at: now,
            keys: keys.map { key in
                SystemState.Key(
                    id: key.verificationKey.kid ?? "", createdAt: key.createdAt,
                    usableFrom: key.usableFrom, expiresAt: key.expiresAt,
                    isSigning: key.slot
                        == keys.last { $0.usableFrom <= now }?.slot)
            },
            masterKeySince: try read.items[StoreLayout.masterKey].map { item throws(AuthError) in
                try decoded(MasterKeyRecord(item)).since
            },
            mails: mails,
            webhooks: try auth.listDeadWebhooks(limit: Int64(Self.listedMax), after: nil).webhooks,
            deletions: read.page?.items.count ?? 0,
            administration: try CheckedEvents(
                auth, of: [.administration, .administrationAttempts], count: Self.listedMax,
                after: nil))
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
    /// Empty if the operator configured the key.
    package let keys: [Key]
    /// When housekeeping first saw the current master key.
    package let masterKeySince: Instant?
    package let mails: [WaitingMail]
    package let webhooks: [ListedWebhook]
    package let deletions: Int
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

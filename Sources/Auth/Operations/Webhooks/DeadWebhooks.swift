package import AuthDomain
internal import AuthRecords
internal import KeyValueStore
package import Time

/// The events that were abandoned after `WebhookSchedule.lifetime`, the latest first.
package struct ListDeadWebhooks: Sendable {
    package static let pageMax: Int64 = 100
    package static let pageStandard: Int64 = 50

    let auth: AuthServices

    /// - Parameter after: `next` of the previous page. An invalid position starts at the first
    ///   page.
    package func callAsFunction(
        limit: Int64, after: String?
    ) throws(AuthError) -> DeadWebhookPage {
        let count = Int(min(max(limit, 1), Self.pageMax))
        let last = after.flatMap { DeadWebhook.key($0)?.sort }
        let page = try auth.store.query(DeadWebhook.query(limit: count, after: last))
        let rows = try page.items.map { item throws(AuthError) in try decoded(DeadWebhook(item)) }
        let events = try auth.store.get(rows.map(\.eventKey))
        return DeadWebhookPage(
            webhooks: rows.map { row in
                ListedWebhook(
                    id: row.id, url: auth.webhooks?.receiver(row.queue.receiver)?.url,
                    event: events[row.eventKey].flatMap { try? AuditRecord($0).entry },
                    diedAt: row.diedAt)
            }, next: page.next)
    }
}

package struct ListedWebhook: Equatable, Sendable {
    package let id: String
    /// nil if the receiver is not configured any more.
    package let url: String?
    /// nil if the audit log does not have the event any more.
    package let event: AuditEntry?
    package let diedAt: Instant
}

package struct DeadWebhookPage: Equatable, Sendable {
    package let webhooks: [ListedWebhook]
    /// Set if there is more.
    package let next: String?
}

/// Sends an abandoned event again, with attempts for another `WebhookSchedule.lifetime`.
package struct ResendWebhook: Sendable {
    let auth: AuthServices

    /// - Returns: false if there is no such event.
    package func callAsFunction(
        _ id: String, by administrator: Administrator, _ caller: Caller
    ) throws(AuthError) -> Bool {
        guard let key = DeadWebhook.key(id) else { return false }
        let chain = AuditChain.administration
        let items = try auth.store.get([key, chain.headKey])
        guard let item = items[key] else { return false }
        let dead = try decoded(DeadWebhook(item))
        let now = auth.clock.now()
        let event = QueuedEvent(dead.queue, place: dead.place, since: now)
        var audit = try auth.audit(chain, items)
        audit.record(
            .webhookResent, user: dead.queue.chain.user, caller, by: administrator.name, at: now)
        // If two administrators send the event at the same time, only one succeeds.
        return try auth.commit(
            [
                .delete(key, when: [.present]), .put(event.item, when: []),
                DueWebhooks(dead.queue, due: now, by: dead.place).write,
            ], &audit)
    }
}

extension DeadWebhook {
    fileprivate var eventKey: ItemKey { ItemKey(queue.chain.partition, place) }
}

extension AuthServices {
    package var listDeadWebhooks: ListDeadWebhooks { ListDeadWebhooks(auth: self) }
    package var resendWebhook: ResendWebhook { ResendWebhook(auth: self) }
}

extension AuthOperation {
    package static let listDeadWebhooks = AuthOperation("listDeadWebhooks", servedBy: "webhooks")
    package static let resendWebhook = AuthOperation(
        "resendWebhook", servedBy: "webhooks", audited: .others)
}

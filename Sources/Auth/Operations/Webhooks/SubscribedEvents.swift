internal import AuthDomain
internal import AuthRecords
internal import KeyValueStore
internal import Time

/// The events of one transaction that receivers are subscribed to.
struct SubscribedEvents {
    private(set) var writes: [Write] = []
    private var rows: [DueWebhooks] = []

    private let services: WebhookServices?
    private let now: Instant

    init(_ services: WebhookServices?, at now: Instant) {
        self.services = services
        self.now = now
    }

    mutating func add(_ records: [AuditRecord], of chain: AuditChain) {
        guard let services else { return }
        for receiver in services.receivers {
            let queue = WebhookQueue(receiver: receiver.id, chain: chain)
            let events = records.filter { receiver.isSubscribed(to: $0.entry.event) }.map {
                QueuedEvent(queue, place: $0.place(in: chain), since: $0.entry.at)
            }
            guard let last = events.last else { continue }
            // This request makes the first attempt, if there is time.
            let row = DueWebhooks(
                queue, due: services.sendsAfterReply ? now + WebhookSchedule.lease : now,
                by: last.place)
            rows.append(row)
            writes += events.map { .put($0.item, when: []) } + [row.write]
        }
    }

    /// Call it after the writes are committed.
    func sendAfterReply(_ auth: AuthServices) {
        guard let services, services.sendsAfterReply else { return }
        for row in rows {
            auth.afterReply.add { deadline in
                let latest = auth.clock.now() + WebhookSchedule.lease
                let end = deadline.map { min($0 - .milliseconds(500), latest) } ?? latest
                // Housekeeping retries failures.
                _ = try? SendQueuedEvents(auth: auth, services).run(row, until: end)
            }
        }
    }
}

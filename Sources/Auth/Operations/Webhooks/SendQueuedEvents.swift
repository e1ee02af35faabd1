internal import AuthDomain
internal import AuthRecords
internal import Bytes
internal import Cryptography
internal import KeyValueStore
internal import Time

/// Sends the events of a queue, oldest first, until one fails: a receiver gets the events of a
/// chain in their order, each at least once.
struct SendQueuedEvents {
    private static let pageItemsMax = 25

    enum Result: Equatable {
        case sent, failed
        /// Another run has the queue, or the next attempt is not due yet.
        case waits
        case claimedElsewhere
        /// The receiver is not configured any more.
        case dropped
    }

    private let auth: AuthServices
    private let services: WebhookServices

    init(auth: AuthServices, _ services: WebhookServices) {
        self.auth = auth
        self.services = services
    }

    func run(_ row: DueWebhooks, until end: Instant) throws(AuthError) -> Result {
        guard let receiver = services.receiver(row.queue.receiver) else { return try drop(row) }

        // 1. Claim the queue.
        let (state, events) = try read(row.queue)
        let now = auth.clock.now()
        if let state, now < state.until {
            try auth.store.write(row.moved(to: state.until).writes)
            return .waits
        }
        guard !events.isEmpty else {
            let removals = [state?.removal(of: row.queue), row.removal].compactMap(\.self)
            return try auth.store.attempt(removals) ? .sent : .claimedElsewhere
        }
        var run = Run(
            state: newState(until: now + WebhookSchedule.lease, failures: state?.failures ?? 0),
            row: row)
        let claim = row.moved(to: run.state.until, by: Hex.encode(run.state.version))
        guard
            try auth.store.attempt([run.state.replacing(state, of: row.queue)] + claim.writes)
        else { return .claimedElsewhere }
        run.row = claim.row

        // 2. Send.
        var waiting = events
        var failures = run.state.failures
        while !waiting.isEmpty {
            for event in waiting {
                let now = auth.clock.now()
                guard now + WebhookSchedule.attemptMax <= min(end, run.state.until) else {
                    return try finish(run, until: now, failures: failures)
                        ? .sent : .claimedElsewhere
                }
                guard try send(event, of: row.queue, to: receiver) else {
                    failures += 1
                    let next = auth.clock.now() + WebhookSchedule.pause(afterFailures: failures)
                    return try finish(run, until: next, failures: failures)
                        ? .failed : .claimedElsewhere
                }
                failures = 0
            }
            waiting = try read(row.queue).events
        }
        return try auth.store.attempt([run.state.removal(of: row.queue), run.row.removal])
            ? .sent : .claimedElsewhere
    }

    /// The events that a run has claimed.
    private struct Run {
        var state: WebhookState
        var row: DueWebhooks
    }

    private func read(
        _ queue: WebhookQueue
    ) throws(AuthError) -> (state: WebhookState?, events: [QueuedEvent]) {
        let page = try auth.store.query(queue.query(limit: Self.pageItemsMax))
        return try decoded(WebhookQueue.events(in: page.items))
    }

    private func newState(until: Instant, failures: Int64) -> WebhookState {
        WebhookState(until: until, failures: failures, version: auth.random.bytes(8))
    }

    /// Returns false if the run has lost its claim, because it took too long.
    private func finish(
        _ run: Run, until next: Instant, failures: Int64
    ) throws(AuthError) -> Bool {
        let state = newState(until: next, failures: failures)
        return try auth.store.attempt(
            [state.replacing(run.state, of: run.row.queue)] + run.row.moved(to: next).writes)
    }

    /// - Returns: false if the event waits for another attempt.
    private func send(
        _ event: QueuedEvent, of queue: WebhookQueue, to receiver: WebhookReceiver
    ) throws(AuthError) -> Bool {
        guard
            let item = try auth.store.get(ItemKey(queue.chain.partition, event.place)),
            let record = try? AuditRecord(item)
        else {
            try auth.store.write([.delete(event.key, when: [])])
            services.report(.eventMissing(receiver))
            return true
        }
        let name = record.entry.event
        let now = auth.clock.now()
        do throws(WebhookFailure) {
            let message = WebhookMessage(record.entry, secrets: services.secrets, at: now)
            try services.send(receiver, message, WebhookSchedule.attemptMax)
        } catch {
            guard now - event.since >= WebhookSchedule.lifetime else {
                services.report(.failed(receiver, event: name, error))
                return false
            }
            let dead = DeadWebhook(queue, place: event.place, diedAt: now)
            try auth.store.write([
                .delete(event.key, when: []), .put(dead.item, when: []),
            ])
            services.report(.dead(receiver, event: name))
            return true
        }
        // If this fails, the event is sent again.
        try auth.store.write([.delete(event.key, when: [])])
        services.report(.sent(receiver, event: name))
        return true
    }

    /// The events of a receiver that is no longer configured.
    private func drop(_ row: DueWebhooks) throws(AuthError) -> Result {
        let (state, events) = try read(row.queue)
        var writes = events.map { Write.delete($0.key, when: []) }
        if let state { writes.append(state.removal(of: row.queue)) }
        // The next run drops the rest.
        if events.count < Self.pageItemsMax - 1 { writes.append(row.removal) }
        return try auth.store.attempt(writes) ? .dropped : .claimedElsewhere
    }
}

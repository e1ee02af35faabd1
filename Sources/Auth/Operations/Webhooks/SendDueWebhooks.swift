internal import AuthDomain
internal import AuthRecords
internal import Cryptography
internal import KeyValueStore
internal import Time

/// Sends the events that are due, because their first attempt failed or was not made.
struct SendDueWebhooks: Sendable {
    static let queuesPerRunMax = 500
    /// After this many failures in a row a receiver is considered down: the run sends it nothing
    /// more.
    static let failuresInARowMax = 3

    struct Counts: Equatable, Sendable {
        var sent = 0
        var failed = 0
        var waiting = 0
        var dropped = 0
        var claimedElsewhere = 0

        var total: Int { sent + failed + waiting + dropped + claimedElsewhere }
    }

    let auth: AuthServices

    func run(until end: Instant) throws(AuthError) -> Counts {
        var counts = Counts()
        guard let services = auth.webhooks, services.canSend else { return counts }
        let queues = SendQueuedEvents(auth: auth, services)
        var failures: [(receiver: String, count: Int)] = []
        // Start with a random shard, so that all shards are reached even if runs end early.
        let first = Int(auth.random.bytes(1).first ?? 0)
        for offset in 0..<DueWebhooks.shards {
            let shard = (first + offset) % DueWebhooks.shards
            let isFinished = try auth.forEachDue(
                DueWebhooks.query(shard: shard), until: end, each: WebhookSchedule.attemptMax
            ) { (row: DueWebhooks) throws(AuthError) in
                let index = failures.firstIndex { $0.receiver == row.queue.receiver }
                if let index, failures[index].count >= Self.failuresInARowMax { return true }
                let result = try queues.run(row, until: end)
                counts.note(result)
                if result == .failed, let index {
                    failures[index].count += 1
                } else if result == .failed {
                    failures.append((row.queue.receiver, 1))
                } else if result == .sent, let index {
                    failures.remove(at: index)
                }
                return counts.total < Self.queuesPerRunMax
            }
            guard isFinished else { break }
        }
        return counts
    }
}

extension SendDueWebhooks.Counts {
    fileprivate mutating func note(_ result: SendQueuedEvents.Result) {
        switch result {
        case .sent: sent += 1
        case .failed: failed += 1
        case .waits: waiting += 1
        case .dropped: dropped += 1
        case .claimedElsewhere: claimedElsewhere += 1
        }
    }
}

extension HousekeepingJob {
    package static let sendDueWebhooks = HousekeepingJob("webhooks", needs: [.webhooks]) {
        auth, end throws(AuthError) in
        let counts = try SendDueWebhooks(auth: auth).run(until: end)
        return [
            ("sent", counts.sent), ("failed", counts.failed), ("waiting", counts.waiting),
            ("dropped", counts.dropped), ("claimedElsewhere", counts.claimedElsewhere),
        ]
    }
}

internal import AuthDomain
internal import AuthRecords
internal import Cryptography
internal import KeyValueStore
internal import Time

/// Sends the messages of the outbox that are due: a message is due if its first attempt failed or
/// was not made; with `MAIL_DELIVERY=outbox`, every message is.
///
/// Several runs may be active at the same time. Each message is claimed by a conditional write
/// before it is sent, and the claim lasts until its next attempt is due, so no two runs send it at
/// the same time.
struct SendDueMail: Sendable {
    static let messagesPerRunMax = 1000
    /// After this many failures in a row the mail system is considered down: the run ends, and the
    /// other messages keep their attempts.
    static let failuresInARowMax = 3

    struct Counts: Equatable, Sendable {
        var sent = 0
        var failed = 0
        var dropped = 0
        /// Messages that another run claimed first.
        var claimedElsewhere = 0
        var failuresInARow = 0

        var total: Int { sent + failed + dropped + claimedElsewhere }
    }

    let auth: AuthServices

    /// - Parameter end: no attempt starts that could last beyond this time.
    func run(until end: Instant) throws(AuthError) -> Counts {
        let mail = try auth.mail
        var counts = Counts()
        // Start with a random shard: otherwise runs that always end early would never reach the
        // last one.
        let first = Int(auth.random.bytes(1).first ?? 0)
        for offset in 0..<OutboxRecord.shards {
            let shard = (first + offset) % OutboxRecord.shards
            let isFinished = try auth.forEachDue(
                OutboxRecord.query(shard: shard), until: end, each: OutboxSchedule.attemptMax
            ) { (record: OutboxRecord) throws(AuthError) in
                try attempt(record, mail, &counts)
                return counts.total < Self.messagesPerRunMax
                    && counts.failuresInARow < Self.failuresInARowMax
            }
            guard isFinished else { break }
        }
        return counts
    }

    private func attempt(
        _ record: OutboxRecord, _ mail: MailServices, _ counts: inout Counts
    ) throws(AuthError) {
        let now = auth.clock.now()
        guard now < record.validUntil else {
            if try mail.remove(record.removal, mail.open(record), .expired, auth) {
                counts.dropped += 1
            } else {
                counts.claimedElsewhere += 1
            }
            return
        }
        // A message that expires before its next attempt is due when it expires, so that it is
        // reported.
        let next = OutboxSchedule.nextAttempt(after: record.attempts + 1, at: now)
        let lease = now + OutboxSchedule.attemptMax + OutboxSchedule.attemptMax
        let claim = record.moved(
            to: max(min(next, record.validUntil), lease), attempts: record.attempts + 1)
        let isClaimed = try auth.store.attempt(claim.writes)
        guard isClaimed else {
            counts.claimedElsewhere += 1
            return
        }
        let outcome =
            if let message = mail.open(claim.record) {
                try mail.send(message, claim.record, auth, OutboxSchedule.attemptMax)
            } else {
                try mail.failed(nil, .unreadable, claim.record, auth)
            }
        counts.note(outcome)
    }
}

extension SendDueMail.Counts {
    fileprivate mutating func note(_ outcome: MailServices.Attempt) {
        switch outcome {
        case .sent:
            sent += 1
            failuresInARow = 0
        case .dropped: dropped += 1
        case .failed(let failure):
            failed += 1
            if failure == .unavailable { failuresInARow += 1 }
        }
    }
}

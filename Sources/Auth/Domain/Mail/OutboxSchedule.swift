package import Time

/// When a message in the outbox is tried.
///
/// Claiming a message writes the time of its next attempt, so the claim is the lease as well: until
/// then nobody else sends it, whatever became of the attempt. Every pause is therefore longer than
/// an attempt may take.
package enum OutboxSchedule {
    /// How long one attempt may take.
    package static let attemptMax = Span.seconds(10)
    /// The pause after each attempt; as many attempts as pauses and one. 22 hours together.
    package static let pauses: [Span] = [
        .minutes(1), .minutes(5), .minutes(15), .hours(1), .hours(3), .hours(6), .hours(12),
    ]
    /// A message that says of no time when it becomes useless is tried for so long.
    package static let lifetime = Span.hours(24)

    package static var attemptsMax: Int64 { Int64(pauses.count) + 1 }

    /// - Parameter attempts: with the one that begins now.
    package static func nextAttempt(after attempts: Int64, at now: Instant) -> Instant {
        let index = min(max(Int(clamping: attempts) - 1, 0), pauses.count - 1)
        return now + pauses[index]
    }
}

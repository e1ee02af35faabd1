package import Time

/// The delivery attempts of a message in the outbox.
///
/// Claiming a message writes the time of its next attempt, so the claim is a lease too: until then
/// no other process sends the message, whatever the outcome of the attempt. Every pause is
/// therefore longer than an attempt may take.
package enum OutboxSchedule {
    /// How long one attempt may take.
    package static let attemptMax = Span.seconds(10)
    /// The pause after each attempt, 22 hours in total. There is one more attempt than there are
    /// pauses.
    package static let pauses: [Span] = [
        .minutes(1), .minutes(5), .minutes(15), .hours(1), .hours(3), .hours(6), .hours(12),
    ]
    /// How long a message without an expiry is tried.
    package static let lifetime = Span.hours(24)

    package static var attemptsMax: Int64 { Int64(pauses.count) + 1 }

    /// - Parameter attempts: the number of attempts, including the one that begins now.
    package static func nextAttempt(after attempts: Int64, at now: Instant) -> Instant {
        let index = min(max(Int(clamping: attempts) - 1, 0), pauses.count - 1)
        return now + pauses[index]
    }
}

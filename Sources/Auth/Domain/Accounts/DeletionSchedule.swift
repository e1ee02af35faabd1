package import Time

/// The runs that erase the data of a deleted account.
///
/// The first run follows the reply of the deletion. A second one follows when the last storage
/// credentials of the account have expired: until then they could still write objects. The last one
/// removes the row of the account.
package enum DeletionSchedule {
    /// A run reserves the account for this time when it begins, so that no two runs erase the same
    /// account at once. A run that was killed is repeated afterwards. The time is longer than any
    /// run.
    package static let lease = Span.minutes(5)
    /// The time from the deletion to the second run. Storage credentials are valid for an hour at
    /// most; the other five minutes are more than a request takes.
    package static let secondRun = Span.minutes(65)
    /// The pauses after failed runs. The last pause is repeated.
    package static let pauses: [Span] = [
        .minutes(1), .minutes(5), .minutes(15), .hours(1), .hours(3), .hours(6), .hours(12),
        .days(1),
    ]

    /// - Parameter attempts: the number of failed runs in a row.
    package static func nextAttempt(after attempts: Int64, at now: Instant) -> Instant {
        let index = min(max(Int(clamping: attempts) - 1, 0), pauses.count - 1)
        return now + pauses[index]
    }

    /// When the account's row may be removed.
    package static func end(of retention: Span, deletedAt: Instant) -> Instant {
        deletedAt + max(retention, secondRun)
    }
}

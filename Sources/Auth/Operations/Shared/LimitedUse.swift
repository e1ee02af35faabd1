internal import KeyValueStore

/// The presentation of something that is good once, or a few times, counted by the read that opens
/// an operation: before anything about it is verified, and in no trip of its own. Of requests that
/// are sent at once, each gets a number of its own.
///
/// A power failure may lose the count, so what must not succeed twice is also deleted, or written
/// on a condition, by the operation's own write.
package struct LimitedUse: Sendable {
    let counter: CounterIncrement
    var usesMax: Int64 = 1
    /// The error of every presentation beyond the limit.
    let refused: AuthError
}

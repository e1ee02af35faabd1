internal import KeyValueStore

/// The presentation of something that is good once, counted by the read that opens an operation:
/// before anything about it is verified, and in no trip of its own.
///
/// A power failure may lose the count, so what must not succeed twice is also deleted, or written
/// on a condition, by the operation's own write.
package struct OneTimeUse: Sendable {
    let counter: CounterIncrement
    /// The error of every presentation but the first.
    let replayed: AuthError
}

internal import KeyValueStore

/// One use of a credential that is valid once or a few times. The first read of an operation counts
/// it, before anything about it is verified and without another round trip. Concurrent requests get
/// different counts.
///
/// A power failure may lose the count, so the operation's own write also deletes a one-time
/// credential, or has a condition on it.
package struct LimitedUse: Sendable {
    let counter: CounterIncrement
    var usesMax: Int64 = 1
    /// The error of every presentation beyond the limit.
    let refused: AuthError
}

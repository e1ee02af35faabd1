/// Runs an operation, and returns nil when the time is over or the task is cancelled, even if the
/// operation ignores its cancellation.
package func race<Value: Sendable>(
    _ limit: Duration, on clock: any SessionClock, late: Value, cancelled: Value,
    _ operation: @escaping @Sendable () async -> Value
) async -> Value {
    let (results, continuation) = AsyncStream<Value>.makeStream(
        bufferingPolicy: .bufferingOldest(1))
    // Both tasks end here: the first result cancels them.
    let work = Task { continuation.yield(await operation()) }
    let timer = Task {
        try await clock.sleep(for: limit)
        continuation.yield(late)
    }
    defer {
        work.cancel()
        timer.cancel()
        continuation.finish()
    }
    // The iteration ends with nil when this task is cancelled.
    for await result in results { return result }
    return cancelled
}

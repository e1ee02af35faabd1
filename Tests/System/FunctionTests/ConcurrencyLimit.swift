import TestSupport

/// Limits the number of concurrent replays across all tests: functions and their clients have time
/// limits, which too many processes at once would exceed.
actor ConcurrencyLimit {
    static let shared = ConcurrencyLimit(4)

    private var free: Int
    private var waiting: [CheckedContinuation<Void, Never>] = []

    private init(_ count: Int) { free = count }

    /// Runs a blocking body on a thread of its own.
    nonisolated func run<Value: Sendable, Failure: Error>(
        _ body: @escaping @Sendable () throws(Failure) -> Value
    ) async throws(Failure) -> Value {
        await begin()
        let result = await DetachedThread.value { Result(catching: body) }
        await end()
        return try result.get()
    }

    private func begin() async {
        if free > 0 { free -= 1 } else { await withCheckedContinuation { waiting.append($0) } }
    }

    private func end() {
        if waiting.isEmpty { free += 1 } else { waiting.removeFirst().resume() }
    }
}

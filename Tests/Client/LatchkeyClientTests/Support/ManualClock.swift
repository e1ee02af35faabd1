import Synchronization

/// A clock that moves when a test says so. Short sleeps take no time but move it.
final class ManualClock: SessionClock {
    private struct Sleeper {
        let deadline: Duration
        let waiter: CheckedContinuation<Bool, Never>
    }
    private struct Times {
        /// The server's time, and the time of day of a device whose clock is right.
        var truth = 1_800_000_000.0
        var skew = 0.0
        var uptime = Duration.seconds(1000)
        var sleepers: [Int: Sleeper] = [:]
        var count = 0
        var sleeps: [Duration] = []
    }

    private let times = Mutex(Times())
    private let skipping: Duration

    /// - Parameter skipping: the longest sleep that takes no time.
    init(skipping: Duration = .seconds(12)) { self.skipping = skipping }

    /// The server's time, in seconds since 1970.
    var truth: Double { times.withLock { $0.truth } }
    /// Every sleep so far that was not cancelled at once.
    var sleeps: [Duration] { times.withLock { $0.sleeps } }
    var sleeperCount: Int { times.withLock { $0.sleepers.count } }

    func now() -> Date {
        Date(timeIntervalSince1970: times.withLock { $0.truth + $0.skew })
    }

    func uptime() -> Duration { times.withLock { $0.uptime } }

    /// Sets how far the device's clock is ahead of the truth.
    func setSkew(_ seconds: Double) { times.withLock { $0.skew = seconds } }

    func advance(by duration: Duration) {
        let woken = times.withLock { times in
            times.truth += duration / .seconds(1)
            times.uptime += duration
            let due = times.sleepers.filter { $0.value.deadline <= times.uptime }
            for number in due.keys { times.sleepers[number] = nil }
            return due.values.map { $0.waiter }
        }
        for waiter in woken { waiter.resume(returning: true) }
    }

    func sleep(for duration: Duration) async throws {
        try Task.checkCancellation()
        if duration <= skipping {
            times.withLock { $0.sleeps.append(duration) }
            advance(by: duration)
            // As a real sleep, it lets others run.
            for _ in 0..<3 { await Task.yield() }
            try Task.checkCancellation()
            return
        }
        let number = times.withLock { times in
            times.count += 1
            return times.count
        }
        let isOver = await withTaskCancellationHandler {
            await withCheckedContinuation { waiter in
                let isLate = times.withLock { times in
                    if Task.isCancelled { return true }
                    times.sleepers[number] = Sleeper(
                        deadline: times.uptime + duration, waiter: waiter)
                    return false
                }
                if isLate { waiter.resume(returning: false) }
            }
        } onCancel: {
            let sleeper = times.withLock { $0.sleepers.removeValue(forKey: number) }
            sleeper?.waiter.resume(returning: false)
        }
        guard isOver else { throw CancellationError() }
    }
}

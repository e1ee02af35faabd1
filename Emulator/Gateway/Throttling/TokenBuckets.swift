internal import Synchronization
internal import Time

/// Token buckets, one for each route that has a limit.
final class TokenBuckets: Sendable {
    struct Key: Hashable, Sendable {
        let api: Int
        let route: Int
    }

    private struct Bucket {
        var tokens: Double
        var time: Instant
    }

    private let buckets = Mutex<[Key: Bucket]>([:])

    /// Takes one token, if available.
    func take(_ key: Key, _ throttle: Throttle, now: Instant) -> Bool {
        buckets.withLock { buckets in
            let burst = Double(throttle.burst)
            var bucket = buckets[key] ?? Bucket(tokens: burst, time: now)
            // A clock that was set back adds no tokens.
            let seconds = Double(max(0, (now - bucket.time).milliseconds)) / 1000
            bucket.tokens = min(burst, bucket.tokens + seconds * throttle.ratePerSecond)
            bucket.time = now
            defer { buckets[key] = bucket }
            guard bucket.tokens >= 1 else { return false }
            bucket.tokens -= 1
            return true
        }
    }
}

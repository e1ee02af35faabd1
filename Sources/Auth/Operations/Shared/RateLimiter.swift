package import AuthDomain
internal import AuthRecords
internal import KeyValueStore
internal import Time

/// Counts requests in fixed windows in the shared store: counters inside a process do nothing on
/// a platform that starts a process per request (inventaris-aset-ppm#111).
package struct RateLimiter: Sendable {
    private let ground: Ground

    package init(_ ground: Ground) { self.ground = ground }

    /// Counts one request, and refuses it when its window is full.
    package func admit(
        _ action: RateLimit.Action, _ subject: RateLimit.Subject, _ identifier: String?
    ) throws(Problem) {
        guard let identifier else { return }
        for limit in ground.policy.rateLimits
        where limit.action == action && limit.subject == subject {
            let now = ground.clock.now()
            let window = now.milliseconds / limit.window.milliseconds
            let ends = Instant(milliseconds: (window + 1) * limit.window.milliseconds)
            let key = StoreLayout.rate(
                action: "\(action.rawValue)#\(subject.rawValue)",
                subject: subject == .address ? NetworkPrefix(of: identifier).text : identifier,
                window: window)
            let count = try stored { () throws(StoreFailure) in
                try ground.store.increment(key, by: 1, expiresAt: ends + .minutes(1))
            }
            guard count <= limit.requestsMax else {
                // Rounded up: whoever waits that long finds the next window.
                let wait = (ends - now).milliseconds
                throw .rateLimited(retryAfterSeconds: (wait + 999) / 1000)
            }
        }
    }
}

package import AuthDomain
internal import AuthStorage
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
                subject: subject == .address ? Self.network(of: identifier) : identifier,
                window: window)
            let count = try stored { () throws(StoreFailure) in
                try ground.store.increment(key, by: 1, expiresAt: ends + .minutes(1))
            }
            guard count <= limit.requestsMax else {
                throw .rateLimited(retryAfterSeconds: max(1, (ends - now).seconds + 1))
            }
        }
    }

    /// One household of IPv6 has 2^64 addresses: the network is what is counted.
    static func network(of address: String) -> String {
        guard address.utf8.contains(UInt8(ascii: ":")) else { return address }
        let halves = address.split(separator: "::", maxSplits: 1, omittingEmptySubsequences: false)
        var groups = halves[0].split(separator: ":").map(String.init)
        if halves.count == 2 {
            let tail = halves[1].split(separator: ":").count
            groups += Array(repeating: "0", count: max(0, 8 - groups.count - tail))
        }
        return groups.prefix(4).map { $0.lowercased() }.joined(separator: ":") + "::/64"
    }
}

package import AuthDomain
package import Time

/// The current fixed window of a limit. Counters are in the shared store, because each request may
/// have its own process.
package struct RateLimitWindow: Sendable {
    package let limit: RateLimit
    package let number: Int64
    package let endsAt: Instant

    package init(_ limit: RateLimit, at now: Instant) {
        self.limit = limit
        number = now.milliseconds / limit.window.milliseconds
        endsAt = Instant(milliseconds: (number + 1) * limit.window.milliseconds)
    }

    /// Rounded up: after that many seconds the next window has begun.
    package func retryAfterSeconds(at now: Instant) -> Int64 {
        ((endsAt - now).milliseconds + 999) / 1000
    }

    /// The counted part of an identifier: for an IPv6 address, its network.
    package func counted(_ identifier: String) -> String {
        limit.subject == .address ? NetworkPrefix(of: identifier).text : identifier
    }
}

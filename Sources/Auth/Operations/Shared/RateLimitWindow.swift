package import AuthDomain
package import Time

/// The fixed window of a limit that is current now. Counters are in the shared store: one inside a
/// process counts nothing where each request has a process of its own.
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

    /// What is counted of an identifier: of an IPv6 address, the network.
    package func counted(_ identifier: String) -> String {
        limit.subject == .address ? NetworkPrefix(of: identifier).text : identifier
    }
}

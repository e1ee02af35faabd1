package import AuthDomain
package import Time

/// The current window of a counter. Counters are in the shared store, because each request may have
/// its own process.
struct FixedWindow: Sendable {
    let number: Int64
    let endsAt: Instant

    init(of length: Span, at now: Instant) {
        number = now.milliseconds / length.milliseconds
        endsAt = Instant(milliseconds: (number + 1) * length.milliseconds)
    }
}

/// The current window of a limit.
package struct RateLimitWindow: Sendable {
    package let limit: RateLimit
    private let window: FixedWindow

    package init(_ limit: RateLimit, at now: Instant) {
        self.limit = limit
        window = FixedWindow(of: limit.window, at: now)
    }

    package var number: Int64 { window.number }
    package var endsAt: Instant { window.endsAt }

    /// The time is rounded up: after that many seconds the next window has begun.
    package func retryAfterSeconds(at now: Instant) -> Int64 {
        ((endsAt - now).milliseconds + 999) / 1000
    }

    /// The counted part of an identifier: for an IPv6 address, its network.
    package func counted(_ identifier: String) -> String {
        limit.subject == .address ? NetworkPrefix(of: identifier).text : identifier
    }
}

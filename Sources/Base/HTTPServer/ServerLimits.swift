/// Limits against slow clients and clients with many connections. Times are in milliseconds and
/// apply to a whole phase: single bytes do not extend it.
package struct ServerLimits: Sendable {
    package var request = RequestParser.Limits()
    package var connectionsMax = 512
    /// The time between two requests, and before the first.
    package var idleTime = 180_000
    package var headTime = 10_000
    package var bodyTime = 30_000
    package var responseTime = 60_000
    /// How long a complete request waits for a worker; after that it is answered with 503.
    package var queueTime = 5_000
    /// How long connections are still accepted after `stop`, for proxies that learn of it later.
    package var drainTime = 0
    /// The time for running requests after `stop`.
    package var stopTime = 25_000
    /// The maximum number of bytes of all requests that are being received.
    package var bytesHeldMax = 64 << 20

    package init() {}
}

package import Cryptography
package import HTTP
package import Time

/// The clients' dependencies: transport, clock, randomness, sleep.
package struct AWSPorts: Sendable {
    package var transport: HTTPTransport
    package var clock: WallClock
    /// The random numbers for the jitter of retries.
    package var random: RandomSource
    /// Blocks for the given time.
    package var sleep: @Sendable (Span) -> Void
    package var retry: RetryPolicy

    package init(
        transport: HTTPTransport, clock: WallClock, random: RandomSource,
        sleep: @escaping @Sendable (Span) -> Void, retry: RetryPolicy = .standard
    ) {
        self.transport = transport
        self.clock = clock
        self.random = random
        self.sleep = sleep
        self.retry = retry
    }
}

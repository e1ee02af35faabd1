internal import Cryptography
internal import Time

/// The limits of a call's retries.
package struct RetryPolicy: Sendable, Equatable {
    package var attemptsMax: Int
    /// The upper limit of the first pause, doubled for each further one.
    package var firstPauseMillisecondsMax: Int64
    package var pauseMillisecondsMax: Int64
    /// The time for all attempts and pauses together.
    package var totalMillisecondsMax: Int64

    package init(
        attemptsMax: Int, firstPauseMillisecondsMax: Int64, pauseMillisecondsMax: Int64,
        totalMillisecondsMax: Int64
    ) {
        self.attemptsMax = attemptsMax
        self.firstPauseMillisecondsMax = firstPauseMillisecondsMax
        self.pauseMillisecondsMax = pauseMillisecondsMax
        self.totalMillisecondsMax = totalMillisecondsMax
    }

    /// The policy fits a function with a timeout of ten seconds.
    package static let standard = RetryPolicy(
        attemptsMax: 4, firstPauseMillisecondsMax: 50, pauseMillisecondsMax: 1000,
        totalMillisecondsMax: 8000)

    package static let once = RetryPolicy(
        attemptsMax: 1, firstPauseMillisecondsMax: 0, pauseMillisecondsMax: 0,
        totalMillisecondsMax: 8000)

    /// Full jitter: a random pause up to the limit, so that clients that failed together do not
    /// retry together. `attempt` counts from 1.
    func pause(after attempt: Int, random: RandomSource) -> Span {
        let doublings = min(max(attempt - 1, 0), 20)
        let bound = max(0, min(pauseMillisecondsMax, firstPauseMillisecondsMax << doublings))
        let draw = random.bytes(8).reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        return .milliseconds(Int64(draw.multipliedFullWidth(by: UInt64(bound) + 1).high))
    }
}

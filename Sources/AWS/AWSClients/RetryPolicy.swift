internal import Cryptography
internal import Time

/// How often and how long a call is tried.
package struct RetryPolicy: Sendable, Equatable {
    package var attemptsMax: Int
    /// The bound of the first pause; each further one doubles.
    package var firstPauseMillisecondsMax: Int64
    package var pauseMillisecondsMax: Int64
    /// Over all attempts and pauses.
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

    /// Fits a function with a time-out of ten seconds.
    package static let standard = RetryPolicy(
        attemptsMax: 4, firstPauseMillisecondsMax: 50, pauseMillisecondsMax: 1000,
        totalMillisecondsMax: 8000)

    package static let once = RetryPolicy(
        attemptsMax: 1, firstPauseMillisecondsMax: 0, pauseMillisecondsMax: 0,
        totalMillisecondsMax: 8000)

    /// Full jitter: anything from nothing to the bound, so that callers who failed together do
    /// not come back together. `attempt` counts from 1.
    func pause(after attempt: Int, random: RandomSource) -> Span {
        let doublings = min(max(attempt - 1, 0), 20)
        let bound = max(0, min(pauseMillisecondsMax, firstPauseMillisecondsMax << doublings))
        let draw = random.bytes(8).reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        return .milliseconds(Int64(draw.multipliedFullWidth(by: UInt64(bound) + 1).high))
    }
}

internal import Cryptography
internal import Time

/// How often an operation starts over that lost a race to another request of the same account, and
/// the pauses between.
///
///     for _ in auth.attempts {
///         …
///         if try auth.commit(writes, &audit) { return }
///     }
///     throw .unavailable(.contention)
///
/// Each loss means that another request made progress. The pauses are exponential with full jitter,
/// so that requests which met once do not meet again, and together they are a little more than four
/// seconds at most: a function with a limit of ten seconds can still answer. `ContentionTests`
/// states the odds.
struct Attempts: Sequence, IteratorProtocol {
    private static let countMax = 32
    private static let firstPauseMillisecondsMax: Int64 = 5
    private static let pauseMillisecondsMax: Int64 = 160

    private let auth: AuthServices
    private var made = 0

    fileprivate init(_ auth: AuthServices) { self.auth = auth }

    /// The number of attempts before.
    mutating func next() -> Int? {
        guard made < Self.countMax else { return nil }
        if made > 0 { auth.pause(pause) }
        defer { made += 1 }
        return made
    }

    private var pause: Span {
        let most = Swift.min(
            Self.firstPauseMillisecondsMax << Int64(made - 1), Self.pauseMillisecondsMax)
        let draw = auth.random.bytes(4).reduce(0 as Int64) { $0 << 8 | Int64($1) }
        return .milliseconds(draw % (most + 1))
    }
}

extension AuthServices {
    var attempts: Attempts { Attempts(self) }
}

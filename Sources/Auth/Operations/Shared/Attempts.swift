internal import Cryptography
internal import Time

/// The attempts of an operation that conflicts with other requests of the same account, with pauses
/// between them.
///
///     for _ in auth.attempts {
///         …
///         if try auth.commit(writes, &audit) { return }
///     }
///     throw .unavailable(.contention)
///
/// Each failed attempt means that another request made progress. The pauses are exponential with
/// full jitter, so that requests that collided once do not collide again. In total they last at
/// most a little more than four seconds, so a function with a timeout of ten seconds can still
/// answer.
struct Attempts: Sequence, IteratorProtocol {
    private static let countMax = 32
    private static let firstPauseMillisecondsMax: Int64 = 5
    private static let pauseMillisecondsMax: Int64 = 160

    private let auth: AuthServices
    private var made = 0

    fileprivate init(_ auth: AuthServices) { self.auth = auth }

    /// The number of attempts so far.
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

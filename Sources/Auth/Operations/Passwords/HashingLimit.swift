/// Bounds how many passwords are hashed at once: each takes the memory of its contract's cost, 19 to
/// 64 MiB, so a flood of logins could take all of a machine's.
package struct HashingLimit: Sendable {
    /// Waits for a place and returns what gives it back; nil if none was free in time.
    package typealias Enter = @Sendable () -> (@Sendable () -> Void)?

    package let enter: Enter

    package init(enter: @escaping Enter) { self.enter = enter }

    package static let none = HashingLimit { {} }

    func run<Result>(
        _ work: () throws(AuthError) -> Result
    ) throws(AuthError) -> Result {
        guard let leave = enter() else { throw .unavailable(.contention) }
        defer { leave() }
        return try work()
    }
}

/// Bounds how many passwords are hashed at once: each takes the memory of its contract's cost, 19
/// to 64 MiB, so a flood of logins could take all of a machine's.
package struct HashingLimit: Sendable {
    /// Waits for a place and returns what gives it back; nil if none was free in time.
    package typealias Enter = @Sendable () -> (@Sendable () -> Void)?

    private let enter: Enter
    /// Those that hash and those that wait for a place. The next one does not wait: a flood of
    /// logins would have all threads of a server wait.
    private let share: ThreadShare?

    /// - Parameter share: shared by the threads of a server; nil to bound the places only.
    package init(share: ThreadShare? = ThreadShare(divisor: 2), enter: @escaping Enter) {
        self.share = share
        self.enter = enter
    }

    package static let none = HashingLimit(share: nil) { {} }

    func addThread() { share?.addThread() }

    func run<Result>(
        _ work: () throws(AuthError) -> Result
    ) throws(AuthError) -> Result {
        if let share, !share.enter() { throw .unavailable(.passwordHashing) }
        defer { share?.leave() }
        guard let leave = enter() else { throw .unavailable(.passwordHashing) }
        defer { leave() }
        return try work()
    }
}

/// Bounds how many passwords are hashed at once: each hash uses the memory of the contract's cost,
/// 19 to 64 MiB, so a flood of logins could exhaust a machine's memory.
package struct HashingLimit: Sendable {
    /// Waits for a slot and returns the closure that releases it; nil if none became free in time.
    package typealias Enter = @Sendable () -> (@Sendable () -> Void)?

    /// How many passwords are hashed at once.
    let slots: @Sendable () -> Int
    private let enter: Enter
    /// The threads that hash or wait for a slot. Beyond this share, requests are refused without
    /// waiting: otherwise a flood of logins would block all threads of a server.
    private let share: ThreadShare?

    /// - Parameter share: shared by the threads of a server; nil if only the slots are limited.
    package init(
        share: ThreadShare? = ThreadShare(divisor: 2), slots: @escaping @Sendable () -> Int = { 2 },
        enter: @escaping Enter
    ) {
        self.share = share
        self.slots = slots
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

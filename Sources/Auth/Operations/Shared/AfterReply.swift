internal import Synchronization
package import Time

/// Work that an operation defers until after its reply, so that it does not add to the response
/// time. The host runs it (`Handler`). It may not run at all, so another part of the system must be
/// able to do it later.
package final class AfterReply: Sendable {
    /// - Parameter deadline: when the platform ends the invocation, if it does.
    package typealias Work = @Sendable (_ deadline: Instant?) -> Void

    private let queue = Mutex<[Work]>([])

    private let share: ThreadShare

    /// - Parameter share: the share of a server's threads that may run such work at a time. If it
    ///   is in use, the work is skipped: a hanging mail system must not block all threads.
    package init(_ share: ThreadShare) { self.share = share }

    package func add(_ work: @escaping Work) { queue.withLock { $0.append(work) } }

    package func run(until deadline: Instant?) {
        let work = queue.withLock { queue in
            defer { queue = [] }
            return queue
        }
        guard !work.isEmpty, share.enter() else { return }
        defer { share.leave() }
        for item in work { item(deadline) }
    }
}

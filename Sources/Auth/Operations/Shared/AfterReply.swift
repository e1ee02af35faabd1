internal import Synchronization
package import Time

/// Work that an operation leaves for when its caller has the answer, so that it adds nothing to the
/// time of the answer. The host runs it (`Handler`); what is left undone there must be something
/// that another part of the system makes up for.
package final class AfterReply: Sendable {
    /// - Parameter deadline: when the platform ends the invocation, where it does.
    package typealias Work = @Sendable (_ deadline: Instant?) -> Void

    private let queue = Mutex<[Work]>([])

    private let share: ThreadShare

    /// - Parameter share: of the threads of a server. What finds it in use is left undone: a mail
    ///   system that hangs must not have all threads wait for it.
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

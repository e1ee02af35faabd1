internal import Synchronization
package import Time

/// Work that an operation leaves for when its caller has the answer, so that it adds nothing to the
/// time of the answer. The host runs it (`Handler`); what is left undone there must be something
/// that another part of the system makes up for.
package final class AfterReply: Sendable {
    /// - Parameter deadline: when the platform ends the invocation, where it does.
    package typealias Work = @Sendable (_ deadline: Instant?) -> Void

    private let queue = Mutex<[Work]>([])

    package init() {}

    package func add(_ work: @escaping Work) { queue.withLock { $0.append(work) } }

    package func run(until deadline: Instant?) {
        let work = queue.withLock { queue in
            defer { queue = [] }
            return queue
        }
        for item in work { item(deadline) }
    }
}

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
    /// How long the reply has already waited for such work.
    private let waitedMilliseconds = Mutex<Int64>(0)

    /// - Parameter share: the share of a server's threads that may run such work at a time. If it
    ///   is in use, the work is skipped: a hanging mail system must not block all threads.
    package init(_ share: ThreadShare) { self.share = share }

    package func add(_ work: @escaping Work) { queue.withLock { $0.append(work) } }

    /// Does work that should be done before the reply. The reply waits for it up to a limit. If the
    /// limit is used up, or too many threads wait, the work is done after the reply.
    ///
    /// - Parameter work: gets the time that it may take.
    func addBefore(
        _ limit: Span, _ clock: WallClock, _ work: @escaping @Sendable (Span) -> Void
    ) {
        let rest = Span(
            milliseconds: limit.milliseconds - waitedMilliseconds.withLock { $0 })
        guard rest > .zero, share.enter() else {
            add { deadline in
                let rest = deadline.map { min($0 - clock.now(), limit) } ?? limit
                if rest > .zero { work(rest) }
            }
            return
        }
        defer { share.leave() }
        let start = clock.now()
        work(rest)
        let spent = clock.now() - start
        waitedMilliseconds.withLock { $0 += spent.milliseconds }
    }

    package func run(until deadline: Instant?) {
        waitedMilliseconds.withLock { $0 = 0 }
        let work = queue.withLock { queue in
            defer { queue = [] }
            return queue
        }
        guard !work.isEmpty, share.enter() else { return }
        defer { share.leave() }
        for item in work { item(deadline) }
    }
}

extension AuthServices {
    private static let afterReplyMax = Span.seconds(20)
    /// The time reserved before the deadline of the invocation.
    private static let deadlineMargin = Span.seconds(1)

    /// The time when a job that the operation has claimed must end, if it runs after the reply; nil
    /// if it must not begin.
    ///
    /// - Parameters:
    ///   - deadline: when the platform ends the invocation, if it does.
    ///   - lease: when another run may claim the job.
    func endAfterReply(until deadline: Instant?, lease: Instant) -> Instant? {
        let now = clock.now()
        var end = now + Self.afterReplyMax
        if let deadline { end = min(end, deadline - Self.deadlineMargin) }
        // A process that was suspended in between may resume after the lease has ended.
        return now < end && end < lease ? end : nil
    }
}

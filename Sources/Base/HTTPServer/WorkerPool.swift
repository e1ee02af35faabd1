internal import Glibc
internal import Synchronization
internal import Threads

/// The functions with which one worker answers. Each worker has its own.
package struct Responder: Sendable {
    package let answer: @Sendable (ReceivedRequest) -> ServerResponse
    /// Called after the response was sent, or its rest was left to the loop.
    package let afterResponse: @Sendable () -> Void

    package init(
        answer: @escaping @Sendable (ReceivedRequest) -> ServerResponse,
        afterResponse: @escaping @Sendable () -> Void = {}
    ) {
        self.answer = answer
        self.afterResponse = afterResponse
    }
}

/// Threads that answer requests, one each at a time. A worker never waits for a client: it gets
/// complete requests, and the part of a response that the socket does not take at once is left to
/// the loop.
final class WorkerPool: Sendable {
    private let queue: WorkQueue<Connection>
    private let running = Atomic<Int>(0)

    /// - Parameter serve: answers the request of a connection and gives it back to its loop.
    init(_ responders: [Responder], _ serve: @escaping @Sendable (Connection, Responder) -> Void)
        throws(ListenFailure)
    {
        queue = WorkQueue(readers: responders.count)
        for responder in responders {
            running.add(1, ordering: .relaxed)
            let isStarted = ServerThread.start { [self] in
                Waiting.observe(
                    willWait: { [queue] in queue.readerWillWait() },
                    didWait: { [queue] in queue.readerDidWait() })
                while let connection = queue.take() { serve(connection, responder) }
                running.subtract(1, ordering: .releasing)
            }
            guard isStarted else {
                running.subtract(1, ordering: .relaxed)
                queue.close()
                throw ListenFailure(call: "pthread_create", code: EAGAIN)
            }
        }
    }

    func add(_ connection: Connection) { queue.add(connection) }

    /// To be called from time to time; see `WorkQueue.wakeAnyway`.
    func wakeAnyway() { queue.wakeAnyway() }

    /// Lets the threads end when the queue is empty; false if they do not end before the deadline.
    func finish(until deadline: Int) -> Bool {
        queue.close()
        while running.load(ordering: .acquiring) > 0 {
            guard Monotonic.milliseconds < deadline else { return false }
            usleep(Self.pollMicroseconds)
        }
        return true
    }

    private static let pollMicroseconds: UInt32 = 2_000
}

package enum ServerThread {
    private final class Body: Sendable {
        let run: @Sendable () -> Void
        init(_ run: @escaping @Sendable () -> Void) { self.run = run }
    }

    /// False if the thread cannot be created.
    package static func start(_ run: @escaping @Sendable () -> Void) -> Bool {
        var thread = pthread_t()
        // Balanced by takeRetainedValue on the thread, or below if there is none.
        let body = Unmanaged.passRetained(Body(run))
        let code = pthread_create(
            &thread, nil,
            { body in
                guard let body else { return nil }
                Unmanaged<Body>.fromOpaque(body).takeRetainedValue().run()
                return nil
            }, body.toOpaque())
        guard code == 0 else {
            body.release()
            return false
        }
        pthread_detach(thread)
        return true
    }
}

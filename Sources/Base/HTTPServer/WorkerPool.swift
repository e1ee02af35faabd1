internal import Glibc
internal import Synchronization

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
    private let queue = WorkQueue<Connection>()
    private let running = Atomic<Int>(0)

    /// - Parameter serve: answers the request of a connection and gives it back to its loop.
    init(_ responders: [Responder], _ serve: @escaping @Sendable (Connection, Responder) -> Void)
        throws(ListenFailure)
    {
        for responder in responders {
            running.add(1, ordering: .relaxed)
            let isStarted = ServerThread.start { [self] in
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

/// A queue whose readers sleep while it is empty. `Mutex` has no condition variable, so this is
/// pthread's; `elements` and `isClosed` are used under its mutex only.
private final class WorkQueue<Element: Sendable>: @unchecked Sendable {
    private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
    private let hasNews = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)
    private var elements: [Element] = []
    private var isClosed = false

    init() {
        mutex.initialize(to: pthread_mutex_t())
        hasNews.initialize(to: pthread_cond_t())
        pthread_mutex_init(mutex, nil)
        pthread_cond_init(hasNews, nil)
    }

    deinit {
        pthread_cond_destroy(hasNews)
        pthread_mutex_destroy(mutex)
        hasNews.deallocate()
        mutex.deallocate()
    }

    func add(_ element: Element) {
        pthread_mutex_lock(mutex)
        elements.append(element)
        pthread_mutex_unlock(mutex)
        pthread_cond_signal(hasNews)
    }

    func close() {
        pthread_mutex_lock(mutex)
        isClosed = true
        pthread_mutex_unlock(mutex)
        pthread_cond_broadcast(hasNews)
    }

    /// Waits; nil when it is closed and empty.
    func take() -> Element? {
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        while elements.isEmpty {
            if isClosed { return nil }
            pthread_cond_wait(hasNews, mutex)
        }
        return elements.removeFirst()
    }
}

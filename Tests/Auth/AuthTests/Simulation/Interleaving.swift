import Dispatch
import Foundation
import Glibc
import Synchronization

/// Runs several synchronous operations as if they were processes on different machines: one at a
/// time runs to its next store call, the one that has spent the least simulated time.
enum Interleaving {
    static func perform(_ bodies: [@Sendable () -> Void]) {
        let workers = Worker.borrow(bodies.count)
        let run = Run(workers)
        for (worker, body) in zip(workers, bodies) { worker.prepare(body, in: run) }
        run.begin()
        Worker.giveBack(workers)
    }

    /// Lets the operations that are ready earlier run first.
    static func spend(_ span: Span) { Worker.current?.spend(span) }
}

/// One run. Needs no locks, because `turn` and `done` transfer control between two threads at a
/// time: only the current thread accesses it.
private final class Run: @unchecked Sendable {
    private var running: [Worker]
    private let done = DispatchSemaphore(value: 0)

    init(_ workers: [Worker]) { running = workers }

    func begin() {
        next()?.turn.signal()
        done.wait()
    }

    private func next() -> Worker? {
        running.min { $0.spent.milliseconds < $1.spent.milliseconds }
    }

    /// Passes control to the operation that is ready first.
    func pause(_ worker: Worker) {
        guard let next = next(), next !== worker else { return }
        next.turn.signal()
        worker.turn.wait()
    }

    func leave(_ worker: Worker) {
        running.removeAll { $0 === worker }
        (next()?.turn ?? done).signal()
    }
}

/// A thread that runs one operation after another, because creating a thread for each would cost
/// more than the operation.
private final class Worker: @unchecked Sendable {
    /// The worker that a thread belongs to.
    private static let key: pthread_key_t = {
        var key = pthread_key_t()
        pthread_key_create(&key, nil)
        return key
    }()

    static var current: Worker? {
        pthread_getspecific(key).map { Unmanaged<Worker>.fromOpaque($0).takeUnretainedValue() }
    }

    let turn = DispatchSemaphore(value: 0)
    private let work = DispatchSemaphore(value: 0)
    private var body: (@Sendable () -> Void)?
    private var run: Run?
    fileprivate private(set) var spent = Span.zero

    private static let idle = Mutex<[Worker]>([])

    static func borrow(_ count: Int) -> [Worker] {
        let found = idle.withLock { idle in
            let found = Array(idle.suffix(count))
            idle.removeLast(found.count)
            return found
        }
        return found
            + (found.count..<count).map { _ in
                let worker = Worker()
                let thread = Thread { worker.workForever() }
                thread.stackSize = 512 << 10
                thread.start()
                return worker
            }
    }

    static func giveBack(_ workers: [Worker]) { idle.withLock { $0 += workers } }

    func prepare(_ body: @escaping @Sendable () -> Void, in run: Run) {
        self.body = body
        self.run = run
        spent = .zero
        work.signal()
    }

    func spend(_ span: Span) {
        spent = Span(milliseconds: spent.milliseconds + span.milliseconds)
        run?.pause(self)
    }

    /// The thread retains its worker; both exist until the process ends.
    private func workForever() {
        pthread_setspecific(Self.key, Unmanaged.passUnretained(self).toOpaque())
        while true {
            work.wait()
            turn.wait()
            let run = run
            body?()
            body = nil
            self.run = nil
            run?.leave(self)
        }
    }
}

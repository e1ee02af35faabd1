import Foundation
import HTTPServer
import Synchronization
import TestSupport
import Testing
import Threads

@Suite("The queue of the workers", .hangLimit)
struct WorkQueueTests {
    private static let runningMax = max(2, ProcessInfo.processInfo.activeProcessorCount)

    @Test func `only as many readers run as there are processors`() throws {
        let pool = Pool(readers: Self.runningMax + 4)
        defer { pool.end() }
        for number in 0..<(Self.runningMax + 4) { pool.queue.add(number) }
        pool.waitUntil { $0.count == Self.runningMax }
        // No other one is woken, however often something is added.
        usleep(50_000)
        #expect(pool.taken.count == Self.runningMax)
        // Enough others run, but they may wait for something that does not say so.
        pool.queue.wakeAnyway()
        pool.waitUntil { $0.count == Self.runningMax + 1 }
        pool.finish()
        pool.waitUntil { $0.count == Self.runningMax + 4 }
    }

    @Test func `while a reader waits for something else, another one runs`() throws {
        let pool = Pool(readers: Self.runningMax + 2, announcing: true)
        defer { pool.end() }
        for number in 0..<(Self.runningMax + 2) { pool.queue.add(number) }
        pool.waitUntil { $0.count == Self.runningMax + 2 }
        pool.finish()
    }

    @Test func `each element is taken once, by readers of which some wait`() throws {
        let pool = Pool(readers: 8, announcing: true)
        pool.finish()
        DispatchQueue.concurrentPerform(iterations: 4) { producer in
            for number in 0..<2_000 { pool.queue.add(producer * 2_000 + number) }
        }
        pool.waitUntil { $0.count == 8_000 }
        #expect(pool.taken.sorted() == Array(0..<8_000))
        pool.end()
    }

    @Test func `a wait inside of another one counts once`() throws {
        let events = Mutex<[String]>([])
        let thread = DispatchSemaphore(value: 0)
        Thread.detachNewThread {
            Waiting.observe(
                willWait: { events.withLock { $0.append("will") } },
                didWait: { events.withLock { $0.append("did") } })
            let waiting = Waiting.begin()
            Waiting.during { events.withLock { $0.append("waits") } }
            waiting?.end()
            thread.signal()
        }
        thread.wait()
        #expect(events.withLock { $0 } == ["will", "waits", "did"])
        // This thread belongs to no pool.
        #expect(Waiting.begin() == nil)
        #expect(Waiting.during { 1 } == 1)
    }

    /// Readers that hold what they take until `finish`.
    private final class Pool: Sendable {
        let queue: WorkQueue<Int>
        private let elements = Mutex<[Int]>([])
        private let mayFinish = Atomic<Bool>(false)
        private let running: Atomic<Int>
        private let announces: Bool

        init(readers: Int, announcing: Bool = false) {
            queue = WorkQueue(readers: readers)
            running = Atomic(readers)
            announces = announcing
            for _ in 0..<readers {
                Thread.detachNewThread { [self] in
                    Waiting.observe(
                        willWait: { [queue] in queue.readerWillWait() },
                        didWait: { [queue] in queue.readerDidWait() })
                    while let element = queue.take() {
                        elements.withLock { $0.append(element) }
                        hold()
                    }
                    running.subtract(1, ordering: .releasing)
                }
            }
            // Asleep, so that each test begins with the same state.
            while queue.sleepingCount < readers { usleep(1_000) }
        }

        private func hold() {
            func wait() {
                while !mayFinish.load(ordering: .acquiring) { usleep(1_000) }
            }
            if announces { Waiting.during(wait) } else { wait() }
        }

        var taken: [Int] { elements.withLock { $0 } }

        func waitUntil(_ holds: ([Int]) -> Bool) {
            while !holds(taken) { usleep(1_000) }
        }

        func finish() { mayFinish.store(true, ordering: .releasing) }

        func end() {
            finish()
            queue.close()
            while running.load(ordering: .acquiring) > 0 { usleep(1_000) }
        }
    }
}

import Foundation
import TestSupport
import Threads

@Suite("Waiting")
struct WaitingTests {
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
        expectEqual(events.withLock { $0 }, ["will", "waits", "did"])
        // This thread belongs to no pool.
        #expect(Waiting.begin() == nil)
        expectEqual(Waiting.during { 1 }, 1)
    }
}

import Dispatch
import Foundation
import TestSupport

/// Without the trait these tests would block every thread on which the tasks could run.
@Suite("Blocking tests", .blocking)
struct BlockingTraitTests {
    @Test(arguments: 1...(2 * ProcessInfo.processInfo.activeProcessorCount))
    func `tasks continue while tests block`(number: Int) {
        let done = DispatchSemaphore(value: 0)
        Task.detached { done.signal() }
        expectEqual(done.wait(timeout: .now() + 600), .success)
    }
}

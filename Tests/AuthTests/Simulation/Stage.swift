import AuthTestSupport
import Dispatch
import Foundation
import Synchronization

/// Runs several synchronous operations as if they were processes on different machines: one of
/// them moves at a time, to its next store call, and a seed decides which. Every interleaving of
/// store calls can come up, and the same seed brings it up again.
final class Stage: @unchecked Sendable {
    // Sound, because `turn` and `done` hand over between exactly two threads at a time.
    private final class Actor: @unchecked Sendable {
        let turn = DispatchSemaphore(value: 0)
        var hasFinished = false
    }

    private let done = DispatchSemaphore(value: 0)
    private static let currentKey = "latchkey.stage.actor"

    /// Performs all of `bodies`, interleaved by `random`.
    func perform(_ bodies: [@Sendable () -> Void], _ random: inout SplitMix64) {
        let actors = bodies.map { body in
            let actor = Actor()
            let thread = Thread {
                Thread.current.threadDictionary[Self.currentKey] = actor
                actor.turn.wait()
                body()
                actor.hasFinished = true
                self.done.signal()
            }
            thread.stackSize = 512 << 10
            thread.start()
            return actor
        }
        var running = actors
        while !running.isEmpty {
            let index = Int(random.next(below: UInt64(running.count)))
            running[index].turn.signal()
            done.wait()
            if running[index].hasFinished { running.remove(at: index) }
        }
    }

    /// Lets the others go first; called from inside a body, before each store call.
    func pause() {
        guard let actor = Thread.current.threadDictionary[Self.currentKey] as? Actor else { return }
        done.signal()
        actor.turn.wait()
    }
}

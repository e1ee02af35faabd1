import AuthTestSupport
import Synchronization

/// A process that dies at one of its writes. The response to that write is lost, and nothing
/// follows.
final class Killer: Sendable {
    private let writes = Mutex(0)
    private let last: Int

    init(at last: Int) { self.last = last }

    func next() -> FaultyStore.Fate {
        let write = writes.withLock { writes in
            writes += 1
            return writes
        }
        if write < last { return .fine }
        return write == last ? .answerLost : .refused(.unavailable(detail: "killed"))
    }
}

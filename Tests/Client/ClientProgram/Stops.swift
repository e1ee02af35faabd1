import Foundation
import Synchronization

/// Where a refresh can be held up, in their order.
enum Step: String, Sendable {
    case beforeSending
    /// The answer has arrived, and nothing is stored.
    case afterAnswer
    /// The new file is written, but may not be durable.
    case beforeSync
    case beforeRename
    case afterRename
    /// The tokens are stored, and not yet returned to a caller.
    case afterStoring
}

/// Blocks a task at an armed step until the step is released.
final class Stops: Sendable {
    static let shared = Stops()

    private let armed = Mutex<Step?>(nil)
    /// The store is written before a refresh too: steps of the store are those after the answer.
    private let hasAnswer = Mutex(false)
    private let gate = DispatchSemaphore(value: 0)
    private let queue = DispatchQueue(label: "stops", attributes: .concurrent)

    /// For the next one who passes.
    func arm(_ step: Step) {
        hasAnswer.withLock { $0 = false }
        armed.withLock { $0 = step }
    }

    func release() { gate.signal() }

    /// Blocks its thread, which must not be one of the concurrency runtime.
    func pass(_ step: Step) {
        if step == .afterAnswer { hasAnswer.withLock { $0 = true } }
        let isDue = step == .beforeSending || hasAnswer.withLock { $0 }
        let isHere = armed.withLock { armed in
            guard armed == step, isDue else { return false }
            armed = nil
            return true
        }
        guard isHere else { return }
        Output.write("at \(step.rawValue)")
        gate.wait()
    }

    func pass(_ step: Step) async {
        await withCheckedContinuation { continuation in
            queue.async {
                self.pass(step)
                continuation.resume()
            }
        }
    }
}

/// Replaces the function of the C library for this program, and so for the client in it.
@_cdecl("rename")
func renameWithStops(_ old: UnsafePointer<CChar>, _ new: UnsafePointer<CChar>) -> CInt {
    Stops.shared.pass(.beforeRename)
    let result = unsafe renameat(AT_FDCWD, old, AT_FDCWD, new)
    let code = errno
    Stops.shared.pass(.afterRename)
    errno = code
    return result
}

/// The first one after an answer belongs to the new file.
@_cdecl("fsync")
func syncWithStops(_ descriptor: CInt) -> CInt {
    Stops.shared.pass(.beforeSync)
    return fdatasync(descriptor)
}

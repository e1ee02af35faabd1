package import Cryptography
internal import Synchronization
internal import Time

/// How long the costliest imported hash takes on this machine at present. A wrong password takes
/// that long for every address (ASVS 5.0, 6.3.8), and no longer, whatever was imported.
///
/// Amounts of work of different algorithms cannot be made exactly equal, but their times can. The
/// times are processor time of the thread, which does not include the work of other threads. Each
/// password for an address without an account does the costliest work itself, which is measured.
/// After a hash of another algorithm, the thread continues to work until it reaches one of the
/// latest measurements. The measurements are used in turn, so that the times vary in the same way.
package final class WrongPasswordTime: Sendable {
    private struct State {
        var work: PasswordWork?
        var measured: [Int] = []
        var next = 0
    }

    private static let measuredMax = 16

    private let state = Mutex(State())
    /// The processor time of this thread, in nanoseconds.
    let clock: @Sendable () -> Int

    package init(clock: @escaping @Sendable () -> Int = ThreadTime.nanoseconds) {
        self.clock = clock
    }

    package func note(_ nanoseconds: Int, of work: PasswordWork) {
        state.withLock { state in
            if state.work != work { state = State(work: work) }
            if state.measured.count < Self.measuredMax {
                state.measured.append(nanoseconds)
            } else {
                state.measured[state.next % Self.measuredMax] = nanoseconds
            }
            state.next += 1
        }
    }

    /// - Parameters:
    ///   - done: the work that the thread has done instead. It took `nanoseconds`. A process
    ///     without measurements estimates the time from both.
    package func nanoseconds(
        of work: PasswordWork, after done: PasswordWork, _ nanoseconds: Int
    ) -> Int {
        state.withLock { state in
            guard state.work == work, !state.measured.isEmpty else {
                let speed = Double(nanoseconds) / Double(max(1, done.estimatedNanoseconds))
                return Int(Double(work.estimatedNanoseconds) * speed)
            }
            state.next += 1
            return state.measured[state.next % state.measured.count]
        }
    }
}

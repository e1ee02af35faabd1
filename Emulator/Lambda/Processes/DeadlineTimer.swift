internal import Synchronization

/// A timer with a deadline that may be moved or cancelled. The action runs on the supervisor's
/// thread and must not block.
package final class DeadlineTimer: Sendable {
    let action: @Sendable () -> Void
    private let queue: DeadlineTimerQueue
    /// The deadline; 0 when cancelled.
    fileprivate let due = Atomic<UInt64>(0)

    init(queue: DeadlineTimerQueue, action: @escaping @Sendable () -> Void) {
        self.queue = queue
        self.action = action
    }

    package func schedule(at nanoseconds: UInt64) { queue.set(self, to: max(1, nanoseconds)) }

    package func schedule(afterMilliseconds milliseconds: Int) {
        schedule(at: MonotonicClock.nanoseconds + UInt64(max(0, milliseconds)) * 1_000_000)
    }

    /// The action may already be running.
    package func cancel() { due.store(0, ordering: .relaxed) }
}

/// Timers ordered by deadline, as a binary heap.
///
/// A timer that moves to a later time keeps its entry, which is reinserted when it is due: pools
/// move deadlines thousands of times per second, and hardly any timer fires.
final class DeadlineTimerQueue: Sendable {
    private struct Entry {
        let at: UInt64
        let timer: DeadlineTimer
    }

    private struct State {
        var heap: [Entry] = []
        /// The earliest entry of each queued timer.
        var queued: [ObjectIdentifier: UInt64] = [:]
    }

    private let state = Mutex(State())
    private let wake: @Sendable () -> Void

    /// `wake` is called when the earliest deadline has become earlier.
    init(wake: @escaping @Sendable () -> Void) { self.wake = wake }

    fileprivate func set(_ timer: DeadlineTimer, to time: UInt64) {
        let isEarliest = state.withLock { state in
            timer.due.store(time, ordering: .relaxed)
            if let queued = state.queued[ObjectIdentifier(timer)], queued <= time { return false }
            let first = state.heap.first?.at ?? .max
            Self.insert(Entry(at: time, timer: timer), into: &state)
            return time < first
        }
        if isEarliest { wake() }
    }

    /// Nanoseconds until the next timer, or nil if there is none.
    func next(now: UInt64) -> UInt64? {
        state.withLock { state in
            state.heap.first.map { $0.at > now ? $0.at - now : 0 }
        }
    }

    /// Removes and returns the timers that are due.
    func takeDue(now: UInt64) -> [DeadlineTimer] {
        state.withLock { state in
            var ringing: [DeadlineTimer] = []
            while let first = state.heap.first, first.at <= now {
                Self.removeFirst(&state.heap)
                let timer = first.timer
                // An outdated entry of a timer that has moved to an earlier time.
                guard state.queued[ObjectIdentifier(timer)] == first.at else { continue }
                state.queued[ObjectIdentifier(timer)] = nil
                let due = timer.due.load(ordering: .relaxed)
                guard due != 0 else { continue }
                if due > now {
                    Self.insert(Entry(at: due, timer: timer), into: &state)
                } else if timer.due.compareExchange(
                    expected: due, desired: 0, ordering: .relaxed
                ).exchanged {
                    ringing.append(timer)
                }
            }
            return ringing
        }
    }

    private static func insert(_ entry: Entry, into state: inout State) {
        state.queued[ObjectIdentifier(entry.timer)] = entry.at
        state.heap.append(entry)
        var child = state.heap.count - 1
        while child > 0, state.heap[child].at < state.heap[(child - 1) / 2].at {
            state.heap.swapAt(child, (child - 1) / 2)
            child = (child - 1) / 2
        }
    }

    private static func removeFirst(_ heap: inout [Entry]) {
        heap.swapAt(0, heap.count - 1)
        heap.removeLast()
        var parent = 0
        while true {
            var least = parent
            for child in [2 * parent + 1, 2 * parent + 2]
            where child < heap.count && heap[child].at < heap[least].at { least = child }
            guard least != parent else { return }
            heap.swapAt(parent, least)
            parent = least
        }
    }
}

internal import Synchronization

/// One thing to be done at a time that may move or never come. The action runs on the keeper's
/// thread, so it must not block.
package final class Alarm: Sendable {
    let action: @Sendable () -> Void
    private let queue: AlarmQueue
    /// When to ring; 0 for never.
    fileprivate let due = Atomic<UInt64>(0)

    init(queue: AlarmQueue, action: @escaping @Sendable () -> Void) {
        self.queue = queue
        self.action = action
    }

    package func ring(at nanoseconds: UInt64) { queue.set(self, to: max(1, nanoseconds)) }

    package func ring(afterMilliseconds milliseconds: Int) {
        ring(at: Monotonic.nanoseconds + UInt64(max(0, milliseconds)) * 1_000_000)
    }

    /// It may be ringing at this moment.
    package func cancel() { due.store(0, ordering: .relaxed) }
}

/// Alarms in the order of their time, as a binary heap.
///
/// An alarm that moves to a later time keeps its place and is put back when that comes up: a pool
/// moves a deadline with each invocation, thousands of times a second, and hardly any ever rings.
final class AlarmQueue: Sendable {
    private struct Entry {
        let at: UInt64
        let alarm: Alarm
    }

    private struct State {
        var heap: [Entry] = []
        /// The earliest entry of each alarm that is queued.
        var queued: [ObjectIdentifier: UInt64] = [:]
    }

    private let state = Mutex(State())
    private let wake: @Sendable () -> Void

    /// `wake` is called when the next alarm has become an earlier one.
    init(wake: @escaping @Sendable () -> Void) { self.wake = wake }

    fileprivate func set(_ alarm: Alarm, to time: UInt64) {
        let isEarliest = state.withLock { state in
            alarm.due.store(time, ordering: .relaxed)
            if let queued = state.queued[ObjectIdentifier(alarm)], queued <= time { return false }
            let first = state.heap.first?.at ?? .max
            Self.insert(Entry(at: time, alarm: alarm), into: &state)
            return time < first
        }
        if isEarliest { wake() }
    }

    /// Nanoseconds until the next alarm, or nil when there is none.
    func next(now: UInt64) -> UInt64? {
        state.withLock { state in
            state.heap.first.map { $0.at > now ? $0.at - now : 0 }
        }
    }

    /// Takes out the alarms whose time has come.
    func takeDue(now: UInt64) -> [Alarm] {
        state.withLock { state in
            var ringing: [Alarm] = []
            while let first = state.heap.first, first.at <= now {
                Self.removeFirst(&state.heap)
                let alarm = first.alarm
                // An alarm that moved to an earlier time has left this entry behind.
                guard state.queued[ObjectIdentifier(alarm)] == first.at else { continue }
                state.queued[ObjectIdentifier(alarm)] = nil
                let due = alarm.due.load(ordering: .relaxed)
                guard due != 0 else { continue }
                if due > now {
                    Self.insert(Entry(at: due, alarm: alarm), into: &state)
                } else if alarm.due.compareExchange(
                    expected: due, desired: 0, ordering: .relaxed
                ).exchanged {
                    ringing.append(alarm)
                }
            }
            return ringing
        }
    }

    private static func insert(_ entry: Entry, into state: inout State) {
        state.queued[ObjectIdentifier(entry.alarm)] = entry.at
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

internal import Synchronization

/// A server's counters, for its metrics.
package final class ServerCounters: Sendable {
    private let open = Atomic<Int>(0)
    private let accepted = Atomic<Int>(0)
    private let evicted = Atomic<Int>(0)
    private let begun = Atomic<Int>(0)
    private let ended = Atomic<Int>(0)
    private let refused = Mutex<[Int: Int]>([:])

    package init() {}

    package var connectionsOpen: Int { open.load(ordering: .relaxed) }
    package var connectionsAccepted: Int { accepted.load(ordering: .relaxed) }
    /// Connections that were closed to make room, while idle or before a request was complete.
    package var connectionsEvicted: Int { evicted.load(ordering: .relaxed) }
    package var requests: Int { begun.load(ordering: .relaxed) }
    /// Requests that a worker has, or that wait for one.
    package var requestsInFlight: Int {
        max(0, begun.load(ordering: .relaxed) - ended.load(ordering: .relaxed))
    }
    /// Requests that the server itself refused, by status.
    package var refusals: [(status: Int, count: Int)] {
        refused.withLock { $0.map { ($0.key, $0.value) } }.sorted { $0.0 < $1.0 }
    }

    func didOpen() {
        open.add(1, ordering: .relaxed)
        accepted.add(1, ordering: .relaxed)
    }

    func didClose() { open.subtract(1, ordering: .relaxed) }

    func didEvict() { evicted.add(1, ordering: .relaxed) }

    func didBegin() { begun.add(1, ordering: .relaxed) }

    func didEnd() { ended.add(1, ordering: .relaxed) }

    func didRefuse(_ status: Int) { refused.withLock { $0[status, default: 0] += 1 } }
}

internal import Synchronization
package import Time

/// The record of one invocation. Bodies and output are truncated to their limits.
package struct InvocationRecord: Sendable {
    package enum Status: String, Sendable {
        case answered, failed, timedOut, throttled
    }

    /// The number of invocations so far, including this one.
    package internal(set) var number = 0
    package let requestID: String
    /// The trace ID that the function received.
    package let traceID: String
    package let function: String
    package let startedAt: Instant
    /// When the function started to process it, by `MonotonicClock`.
    package let startNanoseconds: UInt64
    package let durationMicroseconds: Int
    package let billedMilliseconds: Int
    package let initMicroseconds: Int?
    package let residentBytesMax: Int64
    package let status: Status
    package let payload: [UInt8]
    package let answer: [UInt8]
    package let output: [UInt8]
    /// Whether the event or the answer is truncated.
    package let isCut: Bool
    package let isScheduled: Bool
}

/// The most recent invocations.
package final class InvocationRecords: Sendable {
    private struct Ring: Sendable {
        var records: [InvocationRecord] = []
        var next = 0
        var total = 0
    }

    private let ring = Mutex(Ring())
    private let recordsMax: Int
    private let follow: (@Sendable (InvocationRecord) -> Void)?

    init(recordsMax: Int, follow: (@Sendable (InvocationRecord) -> Void)? = nil) {
        self.recordsMax = max(1, recordsMax)
        self.follow = follow
    }

    func append(_ record: InvocationRecord) {
        follow?(record)
        ring.withLock { ring in
            ring.total += 1
            var record = record
            record.number = ring.total
            if ring.records.count < recordsMax {
                ring.records.append(record)
            } else {
                ring.records[ring.next] = record
                ring.next = (ring.next + 1) % recordsMax
            }
        }
    }

    /// All records, oldest first.
    package var all: [InvocationRecord] {
        ring.withLock { Array($0.records[$0.next...] + $0.records[..<$0.next]) }
    }

    /// The number of all invocations, including those no longer kept.
    package var total: Int { ring.withLock { $0.total } }
}

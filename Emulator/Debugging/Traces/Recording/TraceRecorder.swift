internal import Synchronization
package import Time

/// The latest calls and log lines, with common numbers. Older ones are dropped.
package final class TraceRecorder: Sendable {
    private struct State: Sendable {
        var calls: Ring<RecordedCall>
        var lines: Ring<RecordedLine>
        var last = 0

        mutating func next() -> Int {
            last += 1
            return last
        }
    }

    private let state: Mutex<State>
    private let firstTrace = (
        high: UInt32.random(in: 0...UInt32.max), low: UInt64.random(in: 0...UInt64.max)
    )
    private let newTraces = Atomic<UInt64>(0)
    /// The trace of the emulator's own invocations of functions. Its calls are not recorded.
    package let own = TraceID(
        at: 0, UInt32.random(in: 0...UInt32.max), UInt64.random(in: 0...UInt64.max))
    private static let textBytesMax = 4096

    package init(callsMax: Int = 4096, linesMax: Int = 4096) {
        state = Mutex(State(calls: Ring(callsMax), lines: Ring(linesMax)))
    }

    /// An ID for a request without one. It is derived from a counter, because each random number
    /// would need a system call.
    package func newTrace(at now: Instant) -> TraceID {
        let number = newTraces.wrappingAdd(1, ordering: .relaxed).newValue
        return TraceID(at: now.seconds, firstTrace.high, firstTrace.low &+ number)
    }

    package func record(_ call: RecordedCall) {
        state.withLock { state in
            var call = call
            call.number = state.next()
            state.calls.append(call)
        }
    }

    package func note(
        _ text: String, of function: String, _ requestID: String? = nil, at now: Instant
    ) {
        let text =
            text.utf8.count <= Self.textBytesMax
            ? text : String(decoding: text.utf8.prefix(Self.textBytesMax), as: UTF8.self) + "…"
        state.withLock { state in
            let number = state.next()
            state.lines.append(
                RecordedLine(
                    number: number, at: now, function: function, requestID: requestID, text: text))
        }
    }

    /// The number of the newest event.
    package var last: Int { state.withLock { $0.last } }

    /// The calls, oldest first.
    package var calls: [RecordedCall] { state.withLock { $0.calls.elements } }

    /// A page of new events.
    package struct Page: Sendable {
        /// The events, oldest first.
        package let events: [RecordedEvent]
        /// The number after which the next page begins.
        package let last: Int
        /// The number of events that were dropped before they were read.
        package let dropped: Int
    }

    /// The events after `number`. A number that has not been assigned yet is from before a restart:
    /// then all events are new.
    package func events(after number: Int, max: Int) -> Page {
        let (calls, lines, last) = state.withLock { state in
            let since = (0...state.last).contains(number) ? number : 0
            return (
                state.calls.suffix { $0.number > since }, state.lines.suffix { $0.number > since },
                (given: state.last, since: since)
            )
        }
        var events = calls.map(RecordedEvent.call) + lines.map(RecordedEvent.line)
        events.sort { $0.number < $1.number }
        let dropped = last.given - last.since - events.count
        guard events.count > max else {
            return Page(events: events, last: last.given, dropped: dropped)
        }
        events.removeLast(events.count - max)
        return Page(events: events, last: events.last?.number ?? last.since, dropped: dropped)
    }
}

/// A fixed number of elements. A new element replaces the oldest one.
struct Ring<Element: Sendable>: Sendable {
    private var stored: [Element] = []
    private var oldest = 0
    private let elementsMax: Int

    init(_ elementsMax: Int) { self.elementsMax = Swift.max(1, elementsMax) }

    mutating func append(_ element: Element) {
        guard stored.count == elementsMax else { return stored.append(element) }
        stored[oldest] = element
        oldest = (oldest + 1) % elementsMax
    }

    /// The elements, oldest first.
    var elements: [Element] { Array(stored[oldest...] + stored[..<oldest]) }

    /// The longest run of matching elements at the end.
    func suffix(where matches: (Element) -> Bool) -> [Element] {
        var first = stored.count
        while first > 0, matches(stored[(oldest + first - 1) % stored.count]) { first -= 1 }
        return (first..<stored.count).map { stored[(oldest + $0) % stored.count] }
    }
}

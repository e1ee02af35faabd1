import BaseTestSupport
import EmulatorDebugging

/// The recorded calls and log lines, and how they are followed.
@Suite("The recorder of traces") struct TraceRecorderTests {
    private let now = Instant(seconds: 1_800_000_000)

    @Test func `calls and lines are numbered together`() {
        let recorder = TraceRecorder()
        recorder.record(Calls.call(.route))
        recorder.note("one", of: "f", at: now)
        recorder.record(Calls.call(.s3))
        let page = recorder.events(after: 0, max: 10)
        expectEqual(page.events.map(\.number), [1, 2, 3])
        expectEqual(page.events.map(\.kind), ["call", "log", "call"])
        #expect(page.last == 3 && page.dropped == 0)
    }

    @Test func `a page begins where the previous one ended`() {
        let recorder = TraceRecorder()
        for number in 1...7 { recorder.note("\(number)", of: "f", at: now) }
        var last = 0
        var numbers: [[Int]] = []
        for _ in 0..<4 {
            let page = recorder.events(after: last, max: 3)
            numbers.append(page.events.map(\.number))
            last = page.last
        }
        expectEqual(numbers, [[1, 2, 3], [4, 5, 6], [7], []])
        expectEqual(last, 7)
    }

    @Test func `the oldest events are dropped and counted`() {
        let recorder = TraceRecorder(callsMax: 3, linesMax: 2)
        for _ in 0..<10 { recorder.record(Calls.call(.route)) }
        for _ in 0..<3 { recorder.note("line", of: "f", at: now) }
        expectEqual(recorder.calls.map(\.number), [8, 9, 10])
        let page = recorder.events(after: 4, max: 10)
        expectEqual(page.events.map(\.number), [8, 9, 10, 12, 13])
        expectEqual(page.dropped, 4)
        // No event that was read in time is missing.
        expectEqual(recorder.events(after: 11, max: 10).dropped, 0)
    }

    @Test func `a number from before a restart returns all events`() {
        let recorder = TraceRecorder()
        recorder.note("first", of: "f", at: now)
        expectEqual(recorder.events(after: 500, max: 10).events.map(\.number), [1])
        expectEqual(recorder.events(after: -1, max: 10).events.map(\.number), [1])
    }

    @Test func `a long line is truncated`() throws {
        let recorder = TraceRecorder()
        recorder.note(String(repeating: "a", count: 100_000), of: "f", at: now)
        guard case .line(let line) = try #require(recorder.events(after: 0, max: 1).events.first)
        else { return #expect(Bool(false)) }
        #expect(line.text.utf8.count < 5000 && line.text.hasSuffix("…"))
    }
}

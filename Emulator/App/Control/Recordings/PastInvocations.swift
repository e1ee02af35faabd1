internal import Bytes
internal import EmulatorLambda
internal import EmulatorReplay
internal import Time

/// The kept invocations, from which fixtures are made as with `--record`.
///
/// The recorder gets them in the order of their answers, so that it can add earlier ones to a
/// fixture as steps.
struct PastInvocations {
    /// The invocations in the order of their answers. Records can have another order, because they
    /// are written after the answer.
    private let records: [InvocationRecord]
    private let resets: [UInt64]

    /// - Parameter resets: when all state was deleted, by `MonotonicClock`.
    init(_ records: [InvocationRecord], resets: [UInt64]) {
        self.records = records.sorted { $0.endNanoseconds < $1.endNanoseconds }
        self.resets = resets
    }

    var count: Int { records.count }

    /// `last` is the newest.
    func find(_ id: String) -> InvocationRecord? {
        id.isSame(as: "last")
            ? records.max { $0.number < $1.number }
            : records.last { $0.requestID.isSame(as: id) }
    }

    struct Recorded {
        let fixture: RecordedFixture
        /// The earlier invocations that are not steps of the fixture.
        let others: [InvocationRecord]
        let recorder: Recorder
    }

    /// Records the invocation as the last one, after the earlier ones.
    func record(
        _ invocation: InvocationRecord, _ functions: RecordedFunctions, by recorder: Recorder
    ) throws(RecordingRefusal) -> Recorded {
        if let problem = Self.problem(invocation) { throw RecordingRefusal(status: 409, problem) }
        for earlier in before(invocation) where Self.problem(earlier) == nil {
            recorder.remember(
                function: functions.folder(of: earlier.function), event: earlier.payload,
                response: earlier.answer, at: earlier.endedAt, number: earlier.number)
        }
        let recording = recorder.record(
            function: functions.folder(of: invocation.function), event: invocation.payload,
            response: invocation.answer, at: invocation.endedAt, number: invocation.number)
        switch recording {
        case .fixture(let fixture):
            return Recorded(
                fixture: fixture,
                others: before(invocation).filter { !fixture.steps.contains($0.number) },
                recorder: recorder)
        case .duplicate(let name):
            throw RecordingRefusal(status: 409, "The fixture is the same as \(name).")
        case .leftOut(let reason):
            let words = ["Not recorded: \(reason).", gaps(before: invocation)]
            throw RecordingRefusal(
                status: 409, words.compactMap(\.self).joined(separator: " "))
        }
    }

    /// Describes the earlier invocations that the recorder could not see; nil if it saw all of
    /// them.
    func gaps(before invocation: InvocationRecord) -> String? {
        let since = lastReset(before: invocation)
        let keepsAll = records.contains { $0.startNanoseconds < since }
        let forgotten = keepsAll ? 0 : (records.map(\.number).min() ?? 1) - 1
        let cut = before(invocation).count { $0.status == .answered && $0.isCut }
        let words = [
            forgotten > 0 ? Self.counted(forgotten, "no longer kept") : nil,
            cut > 0 ? Self.counted(cut, "not kept whole") : nil,
        ].compactMap(\.self)
        guard !words.isEmpty else { return nil }
        return "Of the earlier invocations, \(words.joined(separator: " and ")): "
            + "a fixture that depends on one of them lacks it as a step. "
            + "'emulator serve --record DIR' records all from the start."
    }

    private static func counted(_ count: Int, _ words: String) -> String {
        "\(count) \(count == 1 ? "is" : "are") \(words)"
    }

    /// The earlier invocations since the last reset, which deleted what others had written.
    private func before(_ invocation: InvocationRecord) -> [InvocationRecord] {
        let since = lastReset(before: invocation)
        return records.prefix { $0.number != invocation.number }
            .filter { $0.startNanoseconds >= since }
    }

    private func lastReset(before invocation: InvocationRecord) -> UInt64 {
        resets.last { $0 <= invocation.startNanoseconds } ?? 0
    }

    /// Why the invocation cannot be a fixture, regardless of earlier ones.
    private static func problem(_ invocation: InvocationRecord) -> String? {
        let kilobytes = FunctionLimits.recordBodyBytesMax >> 10
        switch invocation.status {
        case .answered:
            return invocation.isCut
                ? "Not recorded: the event or the answer is larger than \(kilobytes) KB, and is "
                    + "not kept whole. 'emulator serve --record DIR' records all from the start."
                : nil
        case .failed: return "Not recorded: the function failed, and a fixture needs an answer."
        case .timedOut:
            return "Not recorded: the function timed out, and a fixture needs an answer."
        case .throttled: return "Not recorded: the function did not run."
        }
    }
}

/// Why no fixture is made.
struct RecordingRefusal: Error {
    let status: Int
    let message: String

    init(status: Int, _ message: String) {
        self.status = status
        self.message = message
    }
}

extension InvocationRecord {
    fileprivate var endNanoseconds: UInt64 {
        startNanoseconds + UInt64(max(0, durationMicroseconds)) * 1000
    }

    fileprivate var endedAt: Instant {
        startedAt + .milliseconds(Int64(durationMicroseconds / 1000))
    }
}

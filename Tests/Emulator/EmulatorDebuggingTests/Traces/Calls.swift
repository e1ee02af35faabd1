import EmulatorDebugging
import Time

/// Minimal calls.
enum Calls {
    static let trace = id(1)

    static func id(_ number: Int) -> TraceID {
        let digits = String(number, radix: 16)
        let text = String(repeating: "0", count: 32 - digits.count) + digits
        return TraceID("1-\(text.prefix(8))-\(text.suffix(24))") ?? none
    }

    private static let none: TraceID = {
        guard let id = TraceID("1-00000000-000000000000000000000000") else {
            preconditionFailure("it is one")
        }
        return id
    }()

    /// `milliseconds` are the start and the end.
    static func call(
        _ service: FaultService, _ operation: String = "", on resource: String = "",
        _ milliseconds: ClosedRange<UInt64> = 0...1, in trace: TraceID = trace,
        ending: RecordedCall.Ending = .answered(status: 200, detail: []),
        marks: TraceMarks = TraceMarks()
    ) -> RecordedCall {
        RecordedCall(
            trace: trace, service: service,
            operation: operation, resource: resource,
            startedAt: Instant(milliseconds: 1_800_000_000_000 + Int64(milliseconds.lowerBound)),
            startNanoseconds: milliseconds.lowerBound * 1_000_000,
            endNanoseconds: milliseconds.upperBound * 1_000_000, ending: ending,
            marks: marks)
    }

    /// With numbers, as they are read.
    static func recorded(_ calls: [RecordedCall]) -> [RecordedCall] {
        let recorder = TraceRecorder()
        for call in calls { recorder.record(call) }
        return recorder.calls
    }
}

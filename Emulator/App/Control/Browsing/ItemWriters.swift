internal import EmulatorDebugging
internal import EmulatorDynamoDB
internal import JSON
internal import Time

/// The last request that wrote each item, as far as its calls are kept.
struct ItemWriters: Sendable {
    private var calls: [WriteOrigin: RecordedCall] = [:]
    private let titles: [TraceID: String]

    init(_ origins: [WriteOrigin?], _ recorder: TraceRecorder) {
        let wanted = Set(origins.compactMap(\.self))
        let all = wanted.isEmpty ? [] : recorder.calls
        for call in all where call.service == .dynamodb {
            let origin = WriteOrigin(
                trace: call.trace.number, startNanoseconds: call.startNanoseconds)
            if wanted.contains(origin) { calls[origin] = call }
        }
        let traces = Set(calls.values.map(\.trace))
        let groups = Dictionary(grouping: all.filter { traces.contains($0.trace) }) { $0.trace }
        titles = groups.compactMapValues { Trace($0[0].trace, of: $0)?.rows.first?.call.title }
    }

    /// null if it is not known.
    func json(_ origin: WriteOrigin?) -> JSON {
        guard let origin, let call = calls[origin] else { return .null }
        return [
            "traceId": .string(call.trace.description), "title": .string(titles[call.trace] ?? ""),
            "operation": .string(call.operation),
            "startedAt": .string(call.startedAt.iso8601Milliseconds),
        ]
    }
}

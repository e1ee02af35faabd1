internal import EmulatorBase
internal import EmulatorDebugging
internal import EmulatorDynamoDB
internal import EmulatorLambda
internal import HTTP
internal import JSON
internal import Time

/// The recorded calls: `traces`, `traces/{id}`, `events` and `invocations` of the control API.
struct TraceAPI: Sendable {
    let recorder: TraceRecorder
    let invocations: InvocationRecords
    let streams: EventStreams
    private let tables: DynamoDBService

    static let places = ["traces", "events", "invocations"]
    private static let pageMax = 1000

    init(_ services: EmulatorServices) {
        recorder = services.traces
        invocations = services.functions.records
        streams = services.eventStreams
        tables = services.tables
    }

    func handle(_ request: ServerRequest, _ parts: [String], _ slot: ResponseSlot) {
        do throws(QueryProblem) {
            switch (parts[0], parts.count) {
            case ("traces", 1): slot.respondAlways(try traces(Query(request, ["limit", "mail"])))
            case ("traces", 2):
                _ = try Query(request, [])
                slot.respondAlways(trace(parts[1]))
            case ("events", 1):
                let query = try Query(request, ["after", "limit"])
                guard Self.wantsStream(request) else {
                    return slot.respondAlways(try events(query))
                }
                try streams.open(request, after: query.position("after"), slot)
            case ("invocations", 1):
                slot.respondAlways(
                    try list(Query(request, ["after", "limit", "bodies"])))
            default: slot.respondAlways(.error(404, "Not found: \(request.path)"))
            }
        } catch {
            slot.respondAlways(.error(400, error.description))
        }
    }

    private static func wantsStream(_ request: ServerRequest) -> Bool {
        request.header("accept")?.lowercased().contains("text/event-stream") == true
    }

    private func traces(_ query: Query) throws(QueryProblem) -> ServerResponse {
        let limit = try query.number("limit", 1...Self.pageMax, or: 50)
        let calls = recorder.calls
        let traces =
            query.text("mail").map { Trace.sending($0, in: calls) }
            ?? Trace.latest(of: calls, max: limit)
        return .json(["traces": .array(traces.map { .object($0.summary) })])
    }

    private func trace(_ id: String) -> ServerResponse {
        let calls = recorder.calls
        switch Trace.find(id, in: calls) {
        case .found(let trace):
            let written = Dictionary(
                grouping: tables.items(writtenIn: trace.id.number), by: \.origin.startNanoseconds)
            let wrote = { (call: RecordedCall) -> [JSON] in
                guard call.service == .dynamodb else { return [] }
                return (written[call.startNanoseconds] ?? []).map {
                    ["table": .string($0.table), "key": $0.key]
                }
            }
            return .json(
                trace.json(
                    linked: trace.linked(in: calls), authorization: trace.authorization(in: calls),
                    log: logs(), wrote: wrote))
        case .several: return .error(409, "Several traces have an ID like \(id).")
        case .none:
            return .error(
                404, "Trace not found: \(id). The latest are listed at /_emulator/traces.")
        }
    }

    /// The logs of the kept invocations, by request ID, which is ASCII.
    private func logs() -> (String) -> String? {
        let logs = Dictionary(
            invocations.all.map { ($0.requestID, $0.output) }, uniquingKeysWith: { $1 })
        return { id in
            logs[id].flatMap { $0.isEmpty ? nil : String(decoding: $0, as: UTF8.self) }
        }
    }

    private func events(_ query: Query) throws(QueryProblem) -> ServerResponse {
        let limit = try query.number("limit", 1...Self.pageMax, or: Self.pageMax)
        let page = recorder.events(
            after: try query.position("after") ?? 0, max: limit)
        return .json([
            "events": .array(page.events.map(\.typedJSON)), "last": .number(Int64(page.last)),
            "dropped": .number(Int64(page.dropped)),
        ])
    }

    /// The newest calls come first; after a given number, the oldest come first.
    private func list(_ query: Query) throws(QueryProblem) -> ServerResponse {
        let limit = try query.number("limit", 1...Self.pageMax, or: Self.pageMax)
        let hasBodies = try query.number("bodies", 0...1, or: 1) == 1
        let all = invocations.all
        let records: [InvocationRecord]
        var last = all.last?.number ?? 0
        if let after = try query.position("after") {
            // A number that has not been assigned yet is from before a restart.
            let new = all.filter { $0.number > (after <= last ? after : 0) }
            records = Array(new.prefix(limit))
            last = records.last?.number ?? last
        } else {
            records = all.suffix(limit).reversed()
        }
        return .json([
            "total": .number(Int64(invocations.total)), "last": .number(Int64(last)),
            "invocations": .array(records.map { $0.json(hasBodies: hasBodies) }),
        ])
    }
}

extension RecordedEvent {
    fileprivate var typedJSON: JSON {
        guard case .object(var object) = json else { return json }
        object["type"] = .string(kind)
        return .object(object)
    }
}

extension InvocationRecord {
    func json(hasBodies: Bool) -> JSON {
        var object: JSONObject = [
            "number": .number(Int64(number)),
            "requestId": .string(requestID), "function": .string(function),
            "startedAt": .string(startedAt.iso8601Milliseconds), "status": .string(status.rawValue),
            "durationMicroseconds": .number(Int64(durationMicroseconds)),
            "billedMilliseconds": .number(Int64(billedMilliseconds)),
            "memoryBytesMax": .number(residentBytesMax),
        ]
        object["traceId"] = TraceID(amazonHeader: traceID).map { .string($0.description) }
        object["initMicroseconds"] = initMicroseconds.map { .number(Int64($0)) }
        if isScheduled { object["scheduled"] = true }
        if hasBodies {
            object["event"] = .string(String(decoding: payload, as: UTF8.self))
            object["answer"] = .string(String(decoding: answer, as: UTF8.self))
            object["log"] = .string(String(decoding: output, as: UTF8.self))
        }
        return .object(object)
    }
}

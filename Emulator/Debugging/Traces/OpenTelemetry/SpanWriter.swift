package import JSON

/// Traces as an `ExportTraceServiceRequest` in JSON (OTLP specification 1.7, "JSON Protobuf
/// Encoding"), which viewers of OpenTelemetry draw.
package struct SpanWriter: Sendable {
    private let clock: SpanClock

    package init(_ clock: SpanClock) { self.clock = clock }

    package func json(_ traces: [Trace]) -> JSON {
        ["resourceSpans": .array(traces.flatMap { trace in trace.rows.map(resource) })]
    }

    /// Each call has the name of its service, because viewers choose colours by service.
    private func resource(_ row: Trace.Row) -> JSON {
        let call = row.call
        let name =
            call.form == .span || call.service == .function && !call.resource.isEmpty
            ? call.resource : call.kind
        return [
            "resource": ["attributes": [Self.attribute("service.name", .string(name))]],
            "scopeSpans": [["scope": ["name": "emulator"], "spans": [span(row)]]],
        ]
    }

    private func span(_ row: Trace.Row) -> JSON {
        let call = row.call
        var attributes = [Self.attribute("emulator.outcome", .string(call.outcome))]
        if let status = call.status {
            attributes.append([
                "key": "http.response.status_code", "value": ["intValue": .string("\(status)")],
            ])
        }
        if let id = call.requestID {
            attributes.append(Self.attribute("faas.invocation_id", .string(id)))
        }
        var span: JSONObject = [
            "traceId": .string(call.trace.hexadecimal), "spanId": .string(Self.id(call.number)),
            "name": .string(call.title), "kind": .number(Self.kind(call)),
            "startTimeUnixNano": .string("\(clock.wall(ofMonotonic: call.startNanoseconds))"),
            "endTimeUnixNano": .string("\(clock.wall(ofMonotonic: call.endNanoseconds))"),
            "attributes": .array(attributes),
        ]
        span["parentSpanId"] = row.parent.map { .string(Self.id($0)) }
        var status: JSONObject = ["code": .number(call.verdict == .ok ? 1 : 2)]
        status["message"] = call.reason.map { .string($0) }
        span["status"] = .object(status)
        return .object(span)
    }

    /// SPAN_KIND_INTERNAL, _SERVER and _CLIENT.
    private static func kind(_ call: RecordedCall) -> Int64 {
        switch call.service {
        case .function: 1
        case .route: 2
        case .dynamodb, .sts, .s3, .ses, .secrets, .provider, .receiver: 3
        }
    }

    private static func id(_ number: Int) -> String {
        let digits = String(number, radix: 16)
        return String(repeating: "0", count: max(0, 16 - digits.count)) + digits
    }

    private static func attribute(_ key: String, _ value: JSON) -> JSON {
        ["key": .string(key), "value": ["stringValue": value]]
    }
}

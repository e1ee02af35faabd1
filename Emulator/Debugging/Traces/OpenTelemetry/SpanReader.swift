package import JSON
internal import Time

/// Spans of the developer's own functions, from an `ExportTraceServiceRequest` in JSON.
package struct SpanReader: Sendable {
    package static let spansMax = 2000
    private static let textBytesMax = 200
    private static let failedCode: Int64 = 2

    private let clock: SpanClock

    package init(_ clock: SpanClock) { self.clock = clock }

    /// The spans that can be read, and the number of the other spans; nil if the JSON is not such a
    /// request.
    package func read(_ json: JSON) -> (calls: [RecordedCall], rejected: Int)? {
        guard let resources = json["resourceSpans"]?.arrayValue else { return nil }
        var calls: [RecordedCall] = []
        var rejected = 0
        for resource in resources {
            let name = Self.serviceName(resource)
            for scope in resource["scopeSpans"]?.arrayValue ?? [] {
                for span in scope["spans"]?.arrayValue ?? [] {
                    guard calls.count < Self.spansMax, let call = call(span, of: name) else {
                        rejected += 1
                        continue
                    }
                    calls.append(call)
                }
            }
        }
        return (calls, rejected)
    }

    private func call(_ span: JSON, of service: String) -> RecordedCall? {
        guard let id = span["traceId"]?.stringValue.flatMap({ TraceID(hexadecimal: $0) }),
            let start = Self.nanoseconds(span["startTimeUnixNano"]),
            let end = Self.nanoseconds(span["endTimeUnixNano"]), start <= end
        else { return nil }
        let hasFailed = span["status"]?["code"]?.int64Value == Self.failedCode
        let message = Self.text(span["status"]?["message"])
        return RecordedCall(
            trace: id, service: .function,
            operation: Self.text(span["name"]), resource: service,
            startedAt: Instant(milliseconds: Int64(start / 1_000_000)),
            startNanoseconds: clock.monotonic(ofWall: start),
            endNanoseconds: clock.monotonic(ofWall: end),
            ending: hasFailed ? .failed(Array(message.utf8)) : .returned, form: .span)
    }

    private static func serviceName(_ resource: JSON) -> String {
        let attributes = resource["resource"]?["attributes"]?.arrayValue ?? []
        let named = attributes.first { $0["key"] == "service.name" }
        return text(named?["value"]?["stringValue"])
    }

    /// 64-bit numbers are texts in this encoding; some programs send numbers.
    private static func nanoseconds(_ json: JSON?) -> UInt64? {
        guard let json else { return nil }
        let number =
            json.stringValue.flatMap { UInt64($0) }
            ?? json.int64Value.flatMap { UInt64(exactly: $0) }
        return number.flatMap { $0 <= UInt64(Int64.max) ? $0 : nil }
    }

    private static func text(_ json: JSON?) -> String {
        String(decoding: (json?.stringValue ?? "").utf8.prefix(textBytesMax), as: UTF8.self)
    }
}

import BaseTestSupport
import EmulatorDebugging

/// Traces for viewers of OpenTelemetry, and spans from other programs.
@Suite("OpenTelemetry") struct OpenTelemetryTests {
    /// The monotonic clock began at this time of day.
    private static let began: UInt64 = 1_800_000_000_000_000_000
    private let clock = SpanClock(monotonic: 0, wall: began)

    private func spans(_ json: JSON) -> [JSON] {
        (json["resourceSpans"]?.arrayValue ?? []).flatMap { resource in
            (resource["scopeSpans"]?.arrayValue ?? []).flatMap { $0["spans"]?.arrayValue ?? [] }
        }
    }

    private func request(_ span: JSONObject, service: String = "shop") -> JSON {
        [
            "resourceSpans": [
                [
                    "resource": [
                        "attributes": [
                            ["key": "service.name", "value": ["stringValue": .string(service)]]
                        ]
                    ],
                    "scopeSpans": [["spans": [.object(span)]]],
                ]
            ]
        ]
    }

    private func span(_ start: UInt64, _ end: UInt64, _ more: JSONObject = [:]) -> JSONObject {
        var span: JSONObject = [
            "traceId": .string(Calls.trace.hexadecimal), "spanId": "00f067aa0ba902b7",
            "name": "charge the card", "startTimeUnixNano": .string("\(Self.began + start)"),
            "endTimeUnixNano": .string("\(Self.began + end)"),
        ]
        for (name, value) in more.members { span[name] = value }
        return span
    }

    @Test func `a trace is written with its parents and its times`() throws {
        let recorder = TraceRecorder()
        recorder.record(Calls.call(.dynamodb, "GetItem", on: "Table", 2...3))
        recorder.record(
            Calls.call(.route, "GET", on: "/x", 1...5, ending: .answered(status: 401, detail: [])))
        let trace = try #require(Trace(Calls.trace, of: recorder.calls))
        let written = spans(SpanWriter(clock).json([trace]))
        expectEqual(written.count, 2)
        let route = written[0]
        expectEqual(route["name"], "GET /x")
        expectEqual(route["kind"], 2)
        expectEqual(route["traceId"]?.stringValue, Calls.trace.hexadecimal)
        expectEqual(route["parentSpanId"], nil)
        expectEqual(route["status"]?["code"], 2)
        expectEqual(route["startTimeUnixNano"]?.stringValue, "\(Self.began + 1_000_000)")
        expectEqual(route["endTimeUnixNano"]?.stringValue, "\(Self.began + 5_000_000)")
        expectEqual(written[1]["parentSpanId"], route["spanId"])
        expectEqual(written[1]["spanId"]?.stringValue?.count, 16)
        expectEqual(written[1]["status"]?["code"], 1)
    }

    @Test func `a span belongs to the trace of its request`() throws {
        let read = try #require(SpanReader(clock).read(request(span(1_500_000, 4_000_000))))
        expectEqual(read.rejected, 0)
        let recorder = TraceRecorder()
        recorder.record(Calls.call(.dynamodb, "GetItem", on: "Table", 2...3))
        for call in read.calls { recorder.record(call) }
        recorder.record(Calls.call(.route, "GET", on: "/x", 1...5))
        let trace = try #require(Trace(Calls.trace, of: recorder.calls))
        expectEqual(
            trace.rows.map(\.call.title),
            ["GET /x", "span charge the card shop", "dynamodb GetItem Table"])
        expectEqual(trace.rows.map(\.depth), [0, 1, 2])
        expectEqual(trace.rows[1].call.json["service"], "span")
        // Written spans are read again unchanged.
        let again = SpanReader(clock).read(SpanWriter(clock).json([trace]))
        expectEqual(again?.calls.map(\.startNanoseconds), trace.rows.map(\.call.startNanoseconds))
    }

    @Test func `a failed span has its reason`() throws {
        let status: JSON = ["code": 2, "message": "the card was refused"]
        let read = SpanReader(clock).read(request(span(0, 1, ["status": status])))
        let call = try #require(read?.calls.first)
        expectEqual(call.verdict, .failed)
        expectEqual(call.reason, "the card was refused")
    }

    @Test func `times may also be numbers`() {
        let start = JSON.number(Int64(Self.began))
        let read = SpanReader(clock).read(request(span(0, 1, ["startTimeUnixNano": start])))
        expectEqual(read?.calls.count, 1)
    }

    @Test(
        arguments: [
            ("traceId", JSON.string("")), ("traceId", "xyz"), ("traceId", nil),
            ("traceId", "00000000000000000000000000000g01"), ("startTimeUnixNano", nil),
            ("endTimeUnixNano", "1"), ("endTimeUnixNano", "18446744073709551615"),
            ("startTimeUnixNano", -1), ("endTimeUnixNano", "soon"),
        ] as [(String, JSON?)])
    func `a span that cannot be placed is rejected`(member: String, value: JSON?) throws {
        var invalid = span(0, 1)
        invalid[member] = value
        let read = try #require(SpanReader(clock).read(request(invalid)))
        #expect(read.calls.isEmpty)
        expectEqual(read.rejected, 1)
    }

    @Test func `texts and the number of spans are limited`() throws {
        let long = JSON.string(String(repeating: "x", count: 10_000))
        let read = SpanReader(clock).read(request(span(0, 1, ["name": long])))
        expectEqual(read?.calls.first?.operation.utf8.count, 200)
        let many = JSON.array(Array(repeating: .object(span(0, 1)), count: SpanReader.spansMax + 3))
        let answer = SpanReader(clock).read([
            "resourceSpans": [["scopeSpans": [["spans": many]]]]
        ])
        expectEqual(answer?.calls.count, SpanReader.spansMax)
        expectEqual(answer?.rejected, 3)
    }

    @Test(arguments: [[:], ["resourceSpans": 1], []] as [JSON])
    func `any other body is not a valid request`(json: JSON) {
        #expect(SpanReader(clock).read(json) == nil)
    }
}

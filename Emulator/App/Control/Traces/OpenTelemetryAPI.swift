internal import EmulatorBase
internal import EmulatorDebugging
internal import EmulatorLambda
internal import JSON

/// Traces to and from other programs (OTLP/HTTP in JSON, without compression):
///
///     GET  /_emulator/otlp/v1/traces?limit=N   the last requests, to be posted to a viewer
///     POST /_emulator/otlp/v1/traces           spans of the developer's own functions
struct OpenTelemetryAPI: Sendable {
    static let place = "otlp"
    private static let limits = JSONLimits(bytesMax: 4 << 20, depthMax: 32, membersMax: 4096)

    private let recorder: TraceRecorder
    private let clock = SpanClock(
        monotonic: MonotonicClock.nanoseconds, wall: WallNanoseconds.now)

    init(_ services: EmulatorServices) { recorder = services.traces }

    func answer(_ request: ServerRequest, _ path: [String]) -> ServerResponse {
        guard path.count == 3, path[1] == "v1", path[2] == "traces" else {
            return .error(404, "Not found: \(request.path)")
        }
        switch request.method {
        case "GET": return written(request)
        case "POST": return read(request.body)
        default: return .error(405, "Method not allowed: GET or POST.")
        }
    }

    private func written(_ request: ServerRequest) -> ServerResponse {
        do throws(QueryProblem) {
            let limit = try Query(request, ["limit"]).number("limit", 1...1000, or: 50)
            return .json(
                SpanWriter(clock).json(Trace.latest(of: recorder.calls, max: limit).reversed()))
        } catch {
            return .error(400, error.description)
        }
    }

    private func read(_ body: [UInt8]) -> ServerResponse {
        guard let json = try? JSON.parse(body, limits: Self.limits),
            let (calls, rejected) = SpanReader(clock).read(json)
        else { return .error(400, "Invalid body: expected resourceSpans, in JSON.") }
        for call in calls { recorder.record(call) }
        guard rejected > 0 else { return .json([:]) }
        return .json([
            "partialSuccess": [
                "rejectedSpans": .string("\(rejected)"),
                "errorMessage": .string(
                    "A span needs traceId and its times; at most \(SpanReader.spansMax) "
                        + "are taken."),
            ]
        ])
    }
}

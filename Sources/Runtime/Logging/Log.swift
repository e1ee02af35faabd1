internal import Bytes
internal import JSON
package import Time

/// The name of a log event. A literal in the source, so it cannot contain data: `extension LogEvent
/// { static let refreshReplayed = LogEvent("refresh_replayed") }`.
package struct LogEvent: Sendable {
    let name: StaticString

    package init(_ name: StaticString) { self.name = name }
}

/// Writes lines to stderr: time, level, event, request ID, and values that cannot be secrets.
package struct Log: Sendable {
    package enum Level: String, Sendable, CaseIterable {
        case off, error, info
    }

    /// `LOG_FORMAT`.
    package enum Form: String, Sendable, CaseIterable {
        case text, json
    }

    package let level: Level
    package let form: Form
    private let clock: WallClock
    private let requestID: String?
    /// The namespace in CloudWatch for metrics in log lines; nil for lines without metrics.
    private let namespace: String?
    private let write: @Sendable ([UInt8]) -> Void

    /// Values are dropped from longer lines: a write of up to PIPE_BUF bytes is atomic.
    private static let lineBytesMax = 4096

    /// `write` receives complete lines.
    package init(
        level: Level, form: Form = .json, clock: WallClock = .system, requestID: String? = nil,
        embeddingMetricsIn namespace: String? = nil, write: @escaping @Sendable ([UInt8]) -> Void
    ) {
        self.level = level
        self.form = form
        self.clock = clock
        self.requestID = requestID
        self.namespace = namespace
        self.write = write
    }

    /// Logs to stderr, according to `LOG_LEVEL` and `LOG_FORMAT`.
    package static func standard(
        _ environment: Environment, _ streams: StandardStreams = .system
    ) -> Log {
        Log(
            level: level(environment) ?? .info, form: form(environment, streams),
            embeddingMetricsIn: environment["METRICS_NAMESPACE"], write: streams.writeError)
    }

    /// Lines are text for a person at a terminal. They have no metrics, because metrics are members
    /// of JSON lines.
    private static func form(_ environment: Environment, _ streams: StandardStreams) -> Form {
        if let name = environment["LOG_FORMAT"] { return Form(rawValue: name) ?? .json }
        return environment["METRICS_NAMESPACE"] == nil && streams.errorIsTerminal() ? .text : .json
    }

    /// Nil for an unknown name.
    ///
    /// The classic watchdog adds stderr to the response body unless `combine_output` is false (its
    /// README, "Configuration"), so there the default is not to log. It is detected by
    /// `Http_ContentLength`, which only it sets.
    static func level(_ environment: Environment) -> Level? {
        if let name = environment["LOG_LEVEL"] { return Level(rawValue: name) }
        let isCombined = (environment["combine_output"] ?? "true").isSame(as: "true")
        return environment["Http_ContentLength"] != nil && isCombined ? .off : .info
    }

    package func with(requestID: String) -> Log {
        Log(
            level: level, form: form, clock: clock, requestID: requestID,
            embeddingMetricsIn: namespace, write: write)
    }

    /// Whether lines declare which of their members are metrics.
    package var embedsMetrics: Bool { namespace != nil }

    package func error(
        _ event: LogEvent, _ values: KeyValuePairs<StaticString, LogValue> = [:],
        metrics: [EmbeddedMetrics] = []
    ) { error(event, Array(values), metrics: metrics) }

    package func error(
        _ event: LogEvent, _ values: [(StaticString, LogValue)], metrics: [EmbeddedMetrics] = []
    ) {
        guard level != .off else { return }
        write(line("error", event, values, metrics))
    }

    package func info(
        _ event: LogEvent, _ values: KeyValuePairs<StaticString, LogValue> = [:],
        metrics: [EmbeddedMetrics] = []
    ) { info(event, Array(values), metrics: metrics) }

    /// With the level `error`, lines with metrics are still written, because metrics must not
    /// depend on the level.
    package func info(
        _ event: LogEvent, _ values: [(StaticString, LogValue)], metrics: [EmbeddedMetrics] = []
    ) {
        guard level == .info || level == .error && embedsMetrics && !metrics.isEmpty else {
            return
        }
        write(line("info", event, values, metrics))
    }

    private func line(
        _ level: String, _ event: LogEvent, _ values: [(StaticString, LogValue)],
        _ metrics: [EmbeddedMetrics]
    ) -> [UInt8] {
        let time = clock.now()
        var line: JSONObject = [
            "time": .string(time.iso8601Milliseconds), "level": .string(level),
            "event": .string(event.name.description),
        ]
        let scope = RequestScope.current
        if let requestID = requestID ?? scope.requestID { line["requestId"] = .string(requestID) }
        if let trace = scope.trace { line["traceId"] = .string(trace.id) }
        let bare = line
        for (name, value) in values {
            line[name.description] =
                switch value.content {
                case .integer(let value): .number(value)
                case .flag(let value): .bool(value)
                case .text(let value): .string(value)
                case .integers(let values): .array(values.map { .number($0) })
                }
        }
        if let namespace, !metrics.isEmpty {
            line["_aws"] = EmbeddedMetrics.member(
                metrics, namespace: namespace, at: time)
        }
        var text = written(line)
        if text.count >= Self.lineBytesMax { text = written(bare) }
        text.append(UInt8(ascii: "\n"))
        return text
    }

    private func written(_ line: JSONObject) -> [UInt8] {
        form == .json ? line.serialized : LogText.line(line)
    }
}

extension LogEvent {
    static let startFailed = LogEvent("start_failed")
    static let eventRefused = LogEvent("event_refused")
    static let invocationFailed = LogEvent("invocation_failed")
    static let outputFailed = LogEvent("output_failed")
    static let nextFailed = LogEvent("runtime_api_next_failed")
    static let postFailed = LogEvent("runtime_api_post_failed")
    static let replyTooLarge = LogEvent("reply_too_large")
}

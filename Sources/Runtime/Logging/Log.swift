internal import Bytes
internal import JSON

/// The name of something that happened. It is written in the source, so it can carry no data:
/// `extension LogEvent { static let refreshReplayed = LogEvent("refresh_replayed") }`.
package struct LogEvent: Sendable {
    let name: StaticString

    package init(_ name: StaticString) { self.name = name }
}

/// Writes JSON lines to stderr: level, event, request id, and values that cannot be secrets.
package struct Log: Sendable {
    package enum Level: String, Sendable, CaseIterable {
        case off, error, info
    }

    package let level: Level
    private let requestID: String?
    private let write: @Sendable ([UInt8]) -> Void

    /// Longer lines lose their values: up to PIPE_BUF, one write is never torn apart by another.
    private static let lineBytesMax = 4096

    /// `write` gets whole lines.
    package init(
        level: Level, requestID: String? = nil, write: @escaping @Sendable ([UInt8]) -> Void
    ) {
        self.level = level
        self.requestID = requestID
        self.write = write
    }

    /// To stderr, with the level that `LOG_LEVEL` names, or `info`.
    package static func standard(_ environment: Environment) -> Log {
        Log(level: level(environment) ?? .info, write: StandardStreams.system.writeError)
    }

    /// Nil for an unknown name.
    ///
    /// The classic watchdog mixes stderr into the reply's body unless `combine_output` is false
    /// (its README, "Configuration"): there the default is silence. It alone sets `Http_ContentLength`.
    static func level(_ environment: Environment) -> Level? {
        if let name = environment["LOG_LEVEL"] { return Level(rawValue: name) }
        let isCombined = (environment["combine_output"] ?? "true").isSame(as: "true")
        return environment["Http_ContentLength"] != nil && isCombined ? .off : .info
    }

    package func with(requestID: String) -> Log {
        Log(level: level, requestID: requestID, write: write)
    }

    package func error(
        _ event: LogEvent, _ values: KeyValuePairs<StaticString, LogValue> = [:]
    ) {
        guard level != .off else { return }
        write(line("error", event, values))
    }

    package func info(_ event: LogEvent, _ values: KeyValuePairs<StaticString, LogValue> = [:]) {
        guard level == .info else { return }
        write(line("info", event, values))
    }

    private func line(
        _ level: String, _ event: LogEvent, _ values: KeyValuePairs<StaticString, LogValue>
    ) -> [UInt8] {
        var line: JSONObject = [
            "level": .string(level), "event": .string(event.name.description),
        ]
        if let requestID { line["requestId"] = .string(requestID) }
        let bare = line
        for (name, value) in values {
            line[name.description] =
                switch value.content {
                case .integer(let value): .number(value)
                case .flag(let value): .bool(value)
                case .text(let value): .string(value)
                }
        }
        var text = line.serialized
        if text.count >= Self.lineBytesMax { text = bare.serialized }
        text.append(UInt8(ascii: "\n"))
        return text
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

internal import EmulatorBase
internal import JSON

/// The latest traces, one on each line.
struct TraceList {
    let text: String

    init(_ answer: JSON) {
        let traces = answer["traces"]?.arrayValue ?? []
        guard !traces.isEmpty else {
            text = "no requests yet"
            return
        }
        let rows = traces.map { trace in
            [
                String((trace["startedAt"]?.stringValue ?? "").dropFirst(11).dropLast()),
                trace["id"]?.stringValue ?? "",
                MicrosecondText(trace["durationMicroseconds"]?.int64Value ?? 0).text,
                "\(trace["callCount"]?.int64Value ?? 0)", trace["outcome"]?.stringValue ?? "",
                trace["title"]?.stringValue ?? "",
            ]
        }
        text =
            TextTable(
                [["TIME", "ID", "TOOK", "CALLS", "RESULT", "REQUEST"]] + rows, right: [2, 3]
            ).text
    }
}

/// One event of the emulator.
struct EventLine {
    let text: String

    init(_ event: JSON) {
        func word(_ name: String) -> String { event[name]?.stringValue ?? "" }
        guard word("type") == "call" else {
            text = TerminalText.line(
                "\(Self.time(word("at")))  \(word("function"))  \(word("text"))")
            return
        }
        let words = [
            word("service"), word("operation"), word("resource"), word("outcome"),
            MicrosecondText(event["durationMicroseconds"]?.int64Value ?? 0).text, word("reason"),
        ]
        text = TerminalText.line(
            "\(Self.time(word("startedAt")))  "
                + words.filter { !$0.isEmpty }.joined(separator: " "))
    }

    /// `2026-11-22T06:11:01.123Z` without the date.
    private static func time(_ text: String) -> String { String(text.dropFirst(11).dropLast()) }
}

/// `1.2 ms`, `3.4 s`.
struct MicrosecondText {
    let text: String

    init(_ microseconds: Int64) {
        let isLong = microseconds >= 1_000_000
        let tenths = microseconds / (isLong ? 100_000 : 100)
        text = "\(tenths / 10).\(tenths % 10) \(isLong ? "s" : "ms")"
    }
}

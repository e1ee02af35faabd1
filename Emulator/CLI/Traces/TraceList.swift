internal import JSON

/// The latest traces, a line each.
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
            Columns(
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
            text = "\(Self.time(word("at")))  \(word("function"))  \(word("text"))"
            return
        }
        let words = [
            word("service"), word("operation"), word("resource"), word("outcome"),
            MicrosecondText(event["durationMicroseconds"]?.int64Value ?? 0).text, word("reason"),
        ]
        text =
            "\(Self.time(word("startedAt")))  "
            + words.filter { !$0.isEmpty }.joined(separator: " ")
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

/// Rows of cells under each other.
struct Columns {
    let text: String

    /// - Parameter right: the columns whose cells end under each other.
    init(_ rows: [[String]], right: Set<Int> = []) {
        let count = rows.map(\.count).max() ?? 0
        let widths = (0..<count).map { column in
            rows.map { $0.indices.contains(column) ? $0[column].count : 0 }.max() ?? 0
        }
        text = rows.map { row in
            let cells = row.enumerated().map { column, cell in
                let space = String(repeating: " ", count: widths[column] - cell.count)
                if right.contains(column) { return space + cell }
                return column == row.count - 1 ? cell : cell + space
            }
            return cells.joined(separator: "  ")
        }.joined(separator: "\n")
    }
}

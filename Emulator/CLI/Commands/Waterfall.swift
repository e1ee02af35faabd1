internal import EmulatorBase
internal import JSON

/// A trace as bars on a common axis of time, for a terminal.
struct Waterfall {
    let text: String

    private static let barColumns = 32

    init(_ trace: JSON) {
        let calls = (trace["calls"]?.arrayValue ?? []).map(Call.init)
        let axis = TimeAxis(
            calls.flatMap { [$0.start, $0.end] }, columns: Self.barColumns)
        var rows: [[String]] = []
        var notes: [Int: String] = [:]
        for call in calls {
            rows.append([
                String(repeating: "  ", count: call.depth) + call.title, call.outcome,
                axis.bar(from: call.start, to: call.end), MicrosecondText(call.duration).text,
            ])
            notes[rows.count - 1] = call.note
        }
        let started = trace["startedAt"]?.stringValue ?? ""
        var lines = ["\(trace["id"]?.stringValue ?? "")  \(started)", ""]
        let drawn = TextTable(rows, right: [3]).text.split(
            separator: "\n", omittingEmptySubsequences: false)
        for (index, line) in drawn.enumerated() {
            lines.append(String(line))
            if let note = notes[index] {
                let margin = String(repeating: "  ", count: calls[index].depth + 1)
                lines.append("\(margin)\(TerminalText.line(note))")
            }
        }
        for (name, title) in [
            ("authorization", "the authorization:"), ("linked", "with the same tokens:"),
        ] {
            guard let traces = trace[name]?.arrayValue, !traces.isEmpty else { continue }
            lines += ["", title, TraceList(["traces": .array(traces)]).text]
        }
        text = lines.joined(separator: "\n")
    }

    private struct Call {
        let title: String
        let outcome: String
        let depth: Int
        let start: Int64
        let duration: Int64
        /// The notes of a call: the start time of its process, the faults that affected it, the
        /// reason of a refusal, and the reasons that the function logged.
        let note: String?

        var end: Int64 { start + duration }

        init(_ json: JSON) {
            title = json["title"]?.stringValue ?? ""
            outcome = json["outcome"]?.stringValue ?? ""
            depth = Int(json["depth"]?.int64Value ?? 0)
            start = json["offsetMicroseconds"]?.int64Value ?? 0
            duration = json["durationMicroseconds"]?.int64Value ?? 0
            let faults = (json["faults"]?.arrayValue ?? []).compactMap(\.int64Value)
            let notes: [String?] = [
                json["initMicroseconds"]?.int64Value.map {
                    "started its process in \(MicrosecondText($0).text)"
                },
                faults.isEmpty
                    ? nil : "fault \(faults.map { "\($0)" }.joined(separator: ", "))",
                json["reason"]?.stringValue, Self.wrote(json["wrote"]?.arrayValue ?? []),
            ]
            let said = notes.compactMap(\.self) + Self.reasons(json["log"]?.stringValue ?? "")
            note = said.isEmpty ? nil : said.joined(separator: "; ")
        }

        private static let reasonsMax = 3
        private static let keysMax = 5

        /// The keys of the items that the call wrote.
        private static func wrote(_ items: [JSON]) -> String? {
            let keys = items.prefix(keysMax).map { item in
                (item["key"]?.objectValue?.members ?? [])
                    .compactMap { $0.value.objectValue?.members.first?.value.stringValue }
                    .joined(separator: " ")
            }
            guard !keys.isEmpty else { return nil }
            return "wrote " + keys.joined(separator: ", ") + (items.count > keysMax ? ", …" : "")
        }

        /// The `reason` of each JSON line.
        private static func reasons(_ log: String) -> [String] {
            let lines = log.utf8.split(separator: UInt8(ascii: "\n")).lazy
            let reasons = lines.filter { $0.first == UInt8(ascii: "{") }.compactMap { line in
                (try? JSON.parse(Array(line), limits: .event))?["reason"]?.stringValue
            }
            return reasons.prefix(reasonsMax).map { "logged \($0)" }
        }
    }
}

/// Maps times to columns. A period in which nothing begins or ends, and that is longer than all
/// others together, is shortened, so that the others remain visible.
struct TimeAxis {
    private struct Stretch {
        let start: Int64
        let end: Int64
        /// The column of the request's first character.
        var column: Double
        var columns: Double
        let isShortened: Bool
    }

    private let stretches: [Stretch]
    private let columns: Int

    private static let shortColumns = 3.0
    /// Shorter periods are never shortened.
    private static let shortenedMicrosecondsMin: Int64 = 20_000

    init(_ moments: [Int64], columns: Int) {
        self.columns = columns
        let moments = Array(Set(moments)).sorted()
        let pairs = Array(zip(moments, moments.dropFirst()))
        let total = pairs.reduce(0) { $0 + $1.1 - $1.0 }
        let isShortened = pairs.map { start, end in
            end - start >= Self.shortenedMicrosecondsMin && (end - start) * 2 > total
                && pairs.count > 1
        }
        let rest = zip(pairs, isShortened).reduce(Int64(0)) { sum, next in
            next.1 ? sum : sum + next.0.1 - next.0.0
        }
        let short = Double(isShortened.count { $0 }) * Self.shortColumns
        let scale = rest > 0 ? (Double(columns) - short) / Double(rest) : 0
        var column = 0.0
        stretches = zip(pairs, isShortened).map { pair, isShortened in
            let width = isShortened ? Self.shortColumns : Double(pair.1 - pair.0) * scale
            defer { column += width }
            return Stretch(
                start: pair.0, end: pair.1, column: column, columns: width,
                isShortened: isShortened)
        }
    }

    /// `  ████~~~██  `
    func bar(from start: Int64, to end: Int64) -> String {
        let first = min(columns - 1, Int(column(of: start)))
        let last = max(first + 1, min(columns, Int(column(of: end).rounded(.up))))
        return String(
            (0..<columns).map { column in
                guard (first..<last).contains(column) else { return " " }
                return isShortened(column, from: start, to: end) ? "~" : "█"
            })
    }

    private func column(of moment: Int64) -> Double {
        guard let stretch = stretches.last(where: { $0.start <= moment }) else { return 0 }
        let share = Double(moment - stretch.start) / Double(stretch.end - stretch.start)
        return stretch.column + min(1, share) * stretch.columns
    }

    private func isShortened(_ column: Int, from start: Int64, to end: Int64) -> Bool {
        stretches.contains { stretch in
            stretch.isShortened && start <= stretch.start && stretch.end <= end
                && Double(column) >= stretch.column
                && Double(column) + 1 <= stretch.column + stretch.columns + 0.001
        }
    }
}

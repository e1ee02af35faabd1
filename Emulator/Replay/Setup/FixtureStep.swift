internal import Bytes
internal import EmulatorBase
internal import JSON
internal import Time

/// A setup step before the event: another event, or a change that no function makes.
struct FixtureStep {
    enum Action {
        /// Another fixture with its own steps, on the same store.
        case fixture(String)
        /// A request to `function`: an event in its short form.
        case request(function: String, JSON)
        /// Any event to `function`.
        case event(function: String, JSON)
        /// A change to an account, which the project's `fixture-step` makes.
        case account(id: String, change: String)
    }

    let action: Action
    let saved: [(name: String, path: String)]
    /// The clock offset of the step; nil runs the function itself with the current time.
    let clock: Span?
    let times: Int
    /// The accepted statuses; nil for any success.
    let statuses: [Int64]?

    init(_ json: JSON) throws(FixtureFailure) {
        let reader = try MemberReader(
            json, at: "steps",
            only: ShortEvent.memberNames + [
                "run", "function", "event", "account", "set", "save", "clock", "times", "status",
            ])
        action = try Self.action(reader)
        var saved: [(name: String, path: String)] = []
        if let json = reader["save"] {
            for (name, path) in try MemberReader(json, at: "save").members {
                saved.append((name, try MemberReader.text(path, "save")))
            }
        }
        self.saved = saved
        if let json = reader["clock"] {
            clock = try Span(parsing: try MemberReader.text(json, "clock"))
        } else {
            clock = nil
        }
        let times = reader["times"].map { $0.int64Value ?? 0 } ?? 1
        guard (1...10_000).contains(times) else { throw FixtureFailure("steps.times") }
        self.times = Int(times)
        statuses = reader["status"].map { status in
            (status.arrayValue ?? [status]).compactMap(\.int64Value)
        }
    }

    private static func action(_ reader: MemberReader) throws(FixtureFailure) -> Action {
        func text(_ name: String) throws(FixtureFailure) -> String {
            try MemberReader.text(reader[name], "steps.\(name)")
        }
        if reader["run"] != nil { return .fixture(try text("run")) }
        if reader["account"] != nil {
            return .account(id: try text("account"), change: try text("set"))
        }
        if let event = reader["event"] { return .event(function: try text("function"), event) }
        _ = try text("request")
        let request = reader.members.filter { ShortEvent.memberNames.containsText($0.name) }
        return .request(
            function: try text("function"),
            .object(JSONObject(request.map { ($0.name, $0.value) })))
    }
}

extension Span {
    /// `-2h`, `+90s`, `-31d`, `+1m`
    init(parsing text: String) throws(FixtureFailure) {
        let digits = text.dropFirst().dropLast()
        let units: [(Character, Int64)] = [
            ("s", 1000), ("m", 60_000), ("h", 3_600_000), ("d", 86_400_000),
        ]
        guard let count = Int64(digits), (0...100_000_000).contains(count),
            let unit = units.first(where: { $0.0 == text.last }),
            text.first == "+" || text.first == "-"
        else { throw FixtureFailure("clock \(text)") }
        self.init(milliseconds: (text.first == "-" ? -count : count) * unit.1)
    }
}

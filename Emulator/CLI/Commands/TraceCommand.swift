internal import Bytes
internal import EmulatorApp
internal import EmulatorBase
internal import EmulatorLambda
internal import HTTP
internal import JSON

extension Command {
    static let trace = Command(
        name: "trace", operands: "[ID | last]",
        summary: "Lists the last requests, or draws the calls of one of them.",
        details: """
            ID is an ID of the list, or its beginning or end, of at least four characters. Every
            line is a call: to a route, a function, an AWS service or an identity provider, with its
            outcome, and the reason if it failed. Periods in which nothing begins or ends are
            shortened, between ~.
            """,
        flags: [
            Flag("--limit", "N", "The number of requests in the list. Default: 20"),
            Flag("--json", nil, "Prints the answer of the control API."), url,
        ]
    ) { arguments, console in
        let id = try arguments.operands(["ID"], optional: 1).first
        let control = try ControlClient(arguments)
        guard let id else {
            let limit = arguments.text("--limit") ?? "20"
            let answer = try control.ask(.get, "traces?limit=\(PercentEncoding.encode(limit))")
            console.print(
                arguments.has("--json") ? TerminalText.json(answer.text) : TraceList(answer).text)
            return 0
        }
        let answer = try control.ask(.get, "traces/\(PercentEncoding.encode(id))")
        console.print(
            arguments.has("--json") ? TerminalText.json(answer.text) : Waterfall(answer).text)
        return 0
    }

    static let eventLog = Command(
        name: "events", operands: "",
        summary: "Prints the last calls and log lines in the order in which they ended.",
        details: """
            A call is to a route, a function, an AWS service or an identity provider. The last 4096
            calls and as many log lines are kept. 'emulator trace' draws the calls of one request.
            """,
        flags: [url, Flag("-f", nil, "Follow: keep printing new ones.")]
    ) { arguments, console in
        _ = try arguments.operands([])
        let control = try ControlClient(arguments)
        var last: Int64 = 0
        while true {
            let answer = try control.ask(.get, "events?after=\(last)")
            let dropped = answer["dropped"]?.int64Value ?? 0
            if dropped > 0, last > 0 { console.print("… \(dropped) more, which were not kept") }
            let events = answer["events"]?.arrayValue ?? []
            for event in events { console.print(EventLine(event).text) }
            last = answer["last"]?.int64Value ?? last
            guard events.isEmpty else { continue }
            guard arguments.has("-f") else { return 0 }
            ThreadSleep.milliseconds(300)
        }
    }
}

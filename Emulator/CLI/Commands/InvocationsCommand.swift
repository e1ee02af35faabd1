internal import Bytes
internal import EmulatorApp
internal import EmulatorBase
internal import HTTP
internal import JSON

extension Command {
    static let invocations = Command(
        name: "invocations", operands: "[FUNCTION]",
        summary:
            "Lists the last invocations with their time, duration, memory and outcome.",
        details: """
            The newest is first. Request IDs are also in the log, and are arguments of the commands
            record and trace. The last 500 invocations are kept, with events and answers of up to
            16 KB. Example:

              emulator invocations HelloFunction --limit 5
            """,
        flags: [
            Flag("--limit", "N", "The number of invocations, of all functions. Default: 20"),
            Flag("--json", nil, "Prints the answer of the control API, with events and answers."),
            url,
        ]
    ) { arguments, console in
        let function = try arguments.operands(["FUNCTION"], optional: 1).first
        let limit = arguments.text("--limit") ?? "20"
        let hasBodies = arguments.has("--json")
        let answer = try ControlClient(arguments).ask(
            .get, "invocations?limit=\(PercentEncoding.encode(limit))&bodies=\(hasBodies ? 1 : 0)")
        guard !hasBodies else {
            console.print(TerminalText.json(answer.text))
            return 0
        }
        let listed = (answer["invocations"]?.arrayValue ?? []).filter { invocation in
            function.map { invocation["function"]?.stringValue?.isSame(as: $0) == true } ?? true
        }
        guard !listed.isEmpty else {
            console.print("no invocations")
            return 0
        }
        console.print(
            TextTable(
                [["TIME", "REQUEST ID", "STATUS", "TOOK", "START", "MEMORY", "FUNCTION"]]
                    + listed.map(row), right: [3, 4, 5]
            ).text)
        return 0
    }

    private static func row(_ invocation: JSON) -> [String] {
        func number(_ name: String) -> Int64? { invocation[name]?.int64Value }
        return [
            String((invocation["startedAt"]?.stringValue ?? "").dropFirst(11).dropLast()),
            invocation["requestId"]?.stringValue ?? "", invocation["status"]?.stringValue ?? "",
            MicrosecondText(number("durationMicroseconds") ?? 0).text,
            number("initMicroseconds").map { MicrosecondText($0).text } ?? "",
            "\((number("memoryBytesMax") ?? 0) >> 20) MB",
            invocation["function"]?.stringValue ?? "",
        ]
    }
}

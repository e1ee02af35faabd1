internal import EmulatorApp
internal import EmulatorBase
internal import EmulatorDebugging
internal import HTTP
internal import JSON

// Faults and gates of a running emulator.
extension Command {
    /// The options of the matched fields, such as `--table`.
    private static let matchFlags = FaultField.allCases.map { field in
        let services = FaultService.allCases.filter { $0.fields.contains(field) }
        let names = services.map(\.rawValue).joined(separator: ", ")
        return field == .contains
            ? Flag("--contains", "TEXT", "Only requests with TEXT in the body or the target.")
            : Flag("--\(field.rawValue)", "PATTERN", "Only requests that match; for \(names).")
    }

    static let faults = Command(
        name: "faults", operands: "[known | add SERVICE EFFECT | remove ID|all]",
        summary: "Lists, adds and removes faults: wrong or missing responses of services.",
        details: """
            SERVICE is \(FaultService.allCases.map(\.rawValue).joined(separator: ", ")).
            EFFECT is \(FaultEffect.Kind.allCases.map(\.rawValue).joined(separator: ", ")).
            known lists the fields to match and the errors. In a PATTERN, * matches any text. This
            example loses the response to the next write:

              emulator faults add dynamodb lose --operation TransactWriteItems --count 1
            """,
        flags: matchFlags + [
            Flag("--error", "NAME", "With error: the name of the error."),
            Flag("--answer", "NAME", "With lose: reset, hang or an error. Default: reset"),
            Flag(
                "--milliseconds", "N",
                "The wait of a delay (default 1000), a hang (60000) or an error."),
            Flag("--count", "N", "The number of affected requests. Default: no limit"),
            Flag("--skip", "N", "The number of matching requests to serve first. Default: 0"),
            Flag("--probability", "P", "The probability of the effect, at most 1. Default: 1"),
            Flag("--seed", "N", "The seed of the probability, for repeatable runs. Default: 0"),
            url,
        ]
    ) { arguments, console in
        let control = try ControlClient(arguments)
        let answer: JSON
        switch arguments.operands.first {
        case nil: answer = try control.ask(.get, "faults")
        case "known":
            _ = try arguments.operands(["known"])
            return printKnown(try control.ask(.get, "faults/known"), console)
        case "add":
            let words = try arguments.operands(["add", "SERVICE", "EFFECT"])
            var fault: JSONObject = [
                "match": try match(words[1], arguments), "effect": .string(words[2]),
            ]
            for name in ["error", "answer"] {
                fault[name] = arguments.text("--\(name)").map { .string($0) }
            }
            for name in ["milliseconds", "count", "skip", "probability", "seed"] {
                fault[name] = try number(name, arguments)
            }
            answer = try control.ask(.post, "faults", .object(fault))
        case "remove":
            let id = try arguments.operands(["remove", "ID"])[1]
            answer = try control.ask(.delete, id == "all" ? "faults" : "faults/\(id)")
        case let word?: throw unknown(word, "known, add or remove")
        }
        let list = answer["faults"]?.arrayValue ?? []
        if list.isEmpty { console.print("no faults") }
        for fault in list {
            let hits = fault["hits"]?.int64Value ?? 0
            let seen = fault["seen"]?.int64Value ?? 0
            let isOver = fault["left"]?.int64Value == 0
            console.print(
                "\(fault["id"]?.int64Value ?? 0)  \(fault["text"]?.stringValue ?? "")  "
                    + "(\(hits) of \(seen) requests\(isOver ? ", used up" : ""))")
        }
        return 0
    }

    static let gate = Command(
        name: "gate", operands: "[add SERVICE | open ID | remove ID|all | run PRESET]",
        summary: "Holds requests until enough have arrived, then releases them in an order.",
        details: """
            A gate releases one group of requests and is then done; without arguments the gates
            are listed with their requests. run performs an experiment with the refresh of a new
            session, and prints the number of successors and whether the session is alive.
            PRESET is one of

            \(RefreshPreset.allCases.map { "  \($0.rawValue): \($0.summary)" }
                .joined(separator: "\n"))

            Example, two writes that have both read the old state, in reverse order:

              emulator gate add dynamodb --operation TransactWriteItems --arrivals 2 --order 2,1
            """,
        flags: matchFlags + [
            Flag("--arrivals", "N", "How many requests the gate waits for."),
            Flag(
                "--order", "ORDER",
                "arrival, reverse, or numbers of arrival: 2,1. A number that occurs\n"
                    + "twice duplicates its request, a missing number drops it."),
            Flag("--together", nil, "Release all at once, not one after the other."),
            Flag(
                "--timeout", "MILLISECONDS",
                "How long after the first arrival the held requests are released.\nDefault: 10000"),
            url,
        ]
    ) { arguments, console in
        let control = try ControlClient(arguments)
        let answer: JSON
        switch arguments.operands.first {
        case nil: answer = try control.ask(.get, "gates")
        case "add":
            let service = try arguments.operands(["add", "SERVICE"])[1]
            var gate: JSONObject = ["match": try match(service, arguments)]
            gate["arrivals"] = try number("arrivals", arguments)
            gate["order"] = arguments.text("--order").map(order)
            if arguments.has("--together") { gate["release"] = "together" }
            gate["timeoutMilliseconds"] = try number("timeout", arguments)
            answer = try control.ask(.post, "gates", .object(gate))
        case "open":
            answer = try control.ask(
                .post, "gates/\(try arguments.operands(["open", "ID"])[1])/open")
        case "remove":
            let id = try arguments.operands(["remove", "ID"])[1]
            answer = try control.ask(.delete, id == "all" ? "gates" : "gates/\(id)")
        case "run":
            let name = try arguments.operands(["run", "PRESET"])[1]
            guard let preset = RefreshPreset(rawValue: name) else {
                throw unknown(
                    name, RefreshPreset.allCases.map(\.rawValue).joined(separator: ", "))
            }
            return printExperiment(
                try control.ask(.post, "experiments/\(preset.rawValue)"), console)
        case let word?: throw unknown(word, "add, open, remove or run")
        }
        let list = answer["gates"]?.arrayValue ?? []
        if list.isEmpty { console.print("no gates") }
        for gate in list { printGate(gate, console) }
        return 0
    }

    private static func printGate(_ gate: JSON, _ console: Console) {
        let arrived = gate["arrived"]?.arrayValue ?? []
        console.print(
            "\(gate["id"]?.int64Value ?? 0)  \(gate["text"]?.stringValue ?? "")  "
                + "(\(gate["phase"]?.stringValue ?? ""), \(arrived.count) arrived)")
        for (index, request) in arrived.enumerated() {
            console.print("     \(index + 1)  \(request.stringValue ?? "")")
        }
        for release in gate["releases"]?.arrayValue ?? [] {
            let fate =
                release["status"]?.int64Value.map { $0 == 0 ? "reset" : "answered \($0)" }
                ?? (release["dropped"]?.boolValue == true ? "dropped" : "not answered in time")
            let copy = release["copy"]?.boolValue == true ? " again" : ""
            console.print("     \(release["arrival"]?.int64Value ?? 0)\(copy): \(fate)")
        }
    }

    /// Returns 0 if the result is as expected.
    private static func printExperiment(_ result: JSON, _ console: Console) -> Int32 {
        func text(_ name: String) -> String { result[name]?.stringValue ?? "" }
        console.print("\(text("preset")): \(text("summary"))")
        for answer in result["answers"]?.arrayValue ?? [] {
            let status = answer["status"]?.int64Value.map { "\($0)" } ?? "no answer"
            console.print("  \(answer["name"]?.stringValue ?? ""): \(status)")
        }
        console.print("successors issued: \(result["successors"]?.int64Value ?? 0)")
        console.print("session: \(result["isAlive"]?.boolValue == true ? "alive" : "ended")")
        let isFine = result["isAsExpected"]?.boolValue == true
        console.print(isFine ? "as expected" : "not as expected: \(text("expected"))")
        return isFine ? 0 : 1
    }

    private static func printKnown(_ known: JSON, _ console: Console) -> Int32 {
        func list(_ json: JSON?) -> String {
            (json?.arrayValue ?? []).compactMap(\.stringValue).joined(separator: ", ")
        }
        console.print("effects")
        for effect in known["effects"]?.objectValue?.members ?? [] {
            console.print("  \(effect.name): \(effect.value.stringValue ?? "")")
        }
        for service in known["services"]?.objectValue?.members ?? [] {
            console.print("\n\(service.name)")
            console.print("  match: \(list(service.value["match"]))")
            console.print("  effects: \(list(service.value["effects"]))")
            if let operations = service.value["operations"] {
                console.print("  operations: \(list(operations))")
            }
            console.print("  errors:")
            for error in service.value["errors"]?.objectValue?.members ?? [] {
                console.print("    \(error.name): \(error.value.stringValue ?? "")")
            }
        }
        return 0
    }

    private static func match(
        _ service: String, _ arguments: Arguments
    ) throws(UsageError) -> JSON {
        var match: JSONObject = ["service": .string(service)]
        for field in FaultField.allCases {
            match[field.rawValue] = arguments.text("--\(field.rawValue)").map { .string($0) }
        }
        return .object(match)
    }

    /// Ranges are checked by the emulator.
    private static func number(
        _ name: String, _ arguments: Arguments
    ) throws(UsageError) -> JSON? {
        guard let text = arguments.text("--\(name)") else { return nil }
        guard let number = JSONNumber(literal: text) else {
            throw UsageError(
                description: "invalid value '\(text)' for --\(name): expected a number")
        }
        return .number(number)
    }

    private static func order(_ text: String) -> JSON {
        let numbers = text.split(separator: ",").map { Int($0) }
        guard !numbers.contains(nil) else { return .string(text) }
        return .array(numbers.map { .number($0 ?? 0) })
    }

    private static func unknown(_ word: String, _ expected: String) -> UsageError {
        UsageError(description: "unexpected argument '\(word)': expected \(expected)")
    }
}

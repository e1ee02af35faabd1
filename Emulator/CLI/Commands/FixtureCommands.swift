internal import Cryptography
internal import Time
internal import EmulatorReplay
internal import EmulatorFiles
internal import HTTP
internal import HTTPClient

// Events and what becomes of them, without a running emulator.
extension Command {
    private static let events = Flag("--events", "DIR", "The folder of events. Default: Events")
    private static let executables = Flag(
        "--executables", "DIR",
        "Where the functions' executables are.\nDefault: beside this program, or .build/release")

    static let invoke = Command(
        name: "invoke", operands: "FUNCTION",
        summary: "Runs one function once; its response goes to standard output.",
        details: """
            A running emulator is asked by Lambda's Invoke; where there is none, a process is
            started. Exits with 0 when the function answered, 1 when it failed.
            """,
        flags: [
            Flag("--event", "FILE", "The event; - is standard input. Default: -"), executables,
            Flag("--url", "URL", "The AWS side of an emulator. Default: http://127.0.0.1:8001"),
            Flag("--seconds", "N", "How long it may take. Default: 900"),
        ]
    ) { arguments, console in
        let function = try arguments.words(["FUNCTION"])[0]
        let options = InvokeCommand.Options(
            function: function, event: arguments.text("--event") ?? "-",
            executables: arguments.text("--executables"), url: arguments.text("--url"),
            secondsMax: try arguments.integer("--seconds", in: 1...900) ?? 900)
        let transport = CurlTransport(trust: CertificateTrust { EnvironmentVariables.variable($0) })
        return InvokeCommand.run(
            options, to: console.toolOutput, transport: transport.transport,
            response: { Files.writeAll($0, to: 1) }, log: { Files.writeAll($0, to: 2) })
    }

    static let event = Command(
        name: "event", operands: "FUNCTION CASE",
        summary: "Makes an event as the function's route would send it, for a fixture.",
        details: "Prints the path of the file: EVENTS/FUNCTION/CASE.json.",
        flags: [
            events,
            Flag(
                "--template", "FILE",
                "Where the function's routes are; without it, the event is\n"
                    + "that of a direct invoke."),
            Flag(
                "--parameter", "NAME=VALUE", "A value for a parameter of the template; repeatable."),
            Flag("--method", "METHOD", "Instead of the first route's."),
            Flag("--path", "PATH", "Instead of the first route's, with its query."),
            Flag("--header", "NAME:VALUE", "A header of the request; repeatable."),
            Flag("--body", "TEXT", "The request's body."),
            Flag("--force", nil, "Replace an event that exists."),
        ]
    ) { arguments, console in
        let words = try arguments.words(["FUNCTION", "CASE"])
        var options = EventCommand.Options(
            function: words[0], caseName: words[1],
            events: arguments.text("--events") ?? "Events", method: arguments.text("--method"),
            path: arguments.text("--path"), headers: try Self.headers(arguments),
            body: arguments.text("--body"), isForced: arguments.has("--force"))
        if let path = arguments.text("--template") {
            let file = TemplateFile(path: path, parameters: try arguments.pairs("--parameter"))
            let loaded = try file.read(
                EmulatorAddresses(appPort: 8000, awsPort: 8001, smtpPort: 8025))
            options.template = (loaded.template, loaded.settings)
        }
        return EventCommand.run(
            options, to: console.toolOutput, clock: .system, random: .system)
    }

    private static func headers(_ arguments: Arguments) throws(UsageError) -> [HTTPHeader] {
        var headers: [HTTPHeader] = []
        for text in arguments.all("--header") {
            let parts = text.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
            guard parts.count == 2, !parts[0].isEmpty else {
                throw UsageError(description: "--header is NAME:VALUE, not \(text)")
            }
            headers.append(
                HTTPHeader(String(parts[0]), String(parts[1].drop { $0 == " " })))
        }
        return headers
    }

    static let replay = Command(
        name: "replay", operands: "[FOLDER]",
        summary: "Replays every fixture of a folder against the executables.",
        details: """
            Closes with N passed, N failed, and exits with 1 when one failed. FOLDER is Events by
            default; Events/README.md says what a fixture is.
            """,
        flags: [
            executables,
            Flag("--only", "PATTERN", "Those whose names contain it; * stands for anything."),
            Flag("--jobs", "N", "How many at a time. Default: two for each processor"),
            Flag("--update", nil, "Write down what came as what is expected."),
        ]
    ) { arguments, console in
        let folder = try arguments.words(["FOLDER"], optional: 1).first
        let options = ReplayCommand.Options(
            events: folder ?? "Events", executables: arguments.text("--executables"),
            only: arguments.text("--only"), jobs: try arguments.integer("--jobs", in: 1...1000),
            updates: arguments.has("--update"))
        return ReplayCommand.run(
            options, to: console.toolOutput, clock: .system, random: .system)
    }
}

extension Console {
    fileprivate var toolOutput: ToolOutput {
        let rewrite: @Sendable (String) -> Void = { text in
            Files.writeAll(Array("\r\u{1B}[K\(text)".utf8), to: 2)
        }
        return ToolOutput(print: print, note: complain, progress: isTerminal ? rewrite : nil)
    }
}

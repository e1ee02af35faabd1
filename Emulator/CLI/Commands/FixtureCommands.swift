internal import Cryptography
internal import EmulatorApp
internal import EmulatorBase
internal import EmulatorReplay
internal import HTTP
internal import HTTPClient
internal import Time

// Commands for events and fixtures; they need no running emulator.
extension Command {
    private static let events = Flag("--events", "DIR", "The directory of events. Default: Events")
    private static let executables = Flag(
        "--executables", "DIR",
        "The directory of the functions' executables.\n"
            + "Default: this program's folder, or .build/release"
    )

    private static let template = Flag(
        "--template", "FILE",
        "Run the functions of this template. Repeatable, as for serve.\n"
            + "Default, where no executables are found: template.yaml,\n"
            + "template.yml or template.json in this folder")
    private static let parameter = Flag(
        "--parameter", "NAME=VALUE", "Set a parameter of each template that has it; repeatable.")

    static let invoke = Command(
        name: "invoke", operands: "FUNCTION",
        summary: "Invokes a function once and writes its response to standard output.",
        details: """
            FUNCTION is a function's name, its logical ID in the template or its executable.
            Uses the Invoke API of a running emulator. If there is none, starts a process, or runs
            the function of the template in this folder, with empty tables and buckets.
            Exits with 0 when the function responded, 1 when it failed.
            """,
        flags: [
            Flag("--event", "FILE", "The event file; - for standard input. Default: -"),
            executables,
            template, parameter,
            Flag("--local", nil, "Start a process, even if an emulator is running."),
            EmulatorLocation.flag,
            Flag("--seconds", "N", "The time limit. Default: 900"),
        ]
    ) { arguments, console in
        let function = try arguments.operands(["FUNCTION"])[0]
        guard !arguments.has("--local") || arguments.text("--url") == nil else {
            throw UsageError(description: "--local and --url cannot be combined")
        }
        var options = InvokeCommand.Options(
            function: function, event: arguments.text("--event") ?? "-",
            executables: arguments.text("--executables"),
            url: try Self.emulator(arguments, unless: ["--local", "--executables"]),
            secondsMax: try arguments.integer("--seconds", in: 1...900) ?? 900)
        guard !arguments.has("--template") || arguments.text("--url") == nil else {
            throw UsageError(description: "--template and --url cannot be combined")
        }
        options.template = try Self.templateNamed(arguments)
        options.isLocal = arguments.has("--local")
        options.templateOfFolder = { () throws(FixtureFailure) in
            try Self.templateOfFolder(isStrict: false)
        }
        let transport = CurlTransport(trust: CertificateTrust { EnvironmentVariables.variable($0) })
        return InvokeCommand.run(
            options, to: console.toolOutput, transport: transport.transport,
            response: { Files.writeAll($0, to: 1) }, log: { Files.writeAll($0, to: 2) })
    }

    /// The address of an emulator, if it is known (`EmulatorLocation.isKnown`). nil if one of
    /// `flags` requires a process instead.
    private static func emulator(
        _ arguments: Arguments, unless flags: [String]
    ) throws(UsageError) -> String? {
        if arguments.text("--url") == nil, flags.contains(where: arguments.has) { return nil }
        let location = try EmulatorLocation(arguments)
        return location.isKnown ? location.url : nil
    }

    static let audit = Command(
        name: "audit", operands: "verify",
        summary: "Verifies the audit log, by the function audit.",
        details: """
            Prints each place at which a chain is broken, and exits with 1 if there is one.
            Uses a running emulator, or starts a process on the store of --store.
            """,
        flags: [
            Flag("--store", "STORE", "The store, such as sqlite:latchkey.db."),
            Flag("--heads", "FILE", "Write the end of each chain to FILE, as JSON lines."),
            Flag("--anchors", "FILE", "Also compare with the heads that are in FILE."),
            executables,
            EmulatorLocation.flag,
        ]
    ) { arguments, console in
        guard try arguments.operands(["verify"])[0] == "verify" else {
            throw UsageError(description: "unexpected argument; expected verify")
        }
        let options = AuditCommand.Options(
            store: arguments.text("--store"), heads: arguments.text("--heads"),
            anchors: arguments.text("--anchors"), executables: arguments.text("--executables"),
            url: try Self.emulator(arguments, unless: ["--store", "--executables"]))
        let transport = CurlTransport(trust: CertificateTrust { EnvironmentVariables.variable($0) })
        return AuditCommand.verify(
            options, to: console.toolOutput, transport: transport.transport)
    }

    static let event = Command(
        name: "event", operands: "FILE | FUNCTION CASE",
        summary: "Prints a fixture's event, or creates one as the function's route would send it.",
        details: """
            With FILE, prints the event as the function gets it: the short form (Events/README.md)
            is expanded. - is standard input. With --answer, prints the whole expected response; for
            a folder, the responses of all its fixtures, as the members of an object.
            With FUNCTION and CASE, prints the path of the new file: EVENTS/FUNCTION/CASE.json.
            """,
        flags: [
            Flag("--answer", nil, "Print the expected response instead of the event."),
            events,
            Flag(
                "--template", "FILE",
                "The template with the function's routes; without it, the event\n"
                    + "is for a direct invocation. Repeatable, as for serve."),
            parameter,
            Flag("--method", "METHOD", "The method. Default: the first route's"),
            Flag("--path", "PATH", "The path and query. Default: the first route's"),
            Flag("--header", "NAME:VALUE", "Add a request header; repeatable."),
            Flag("--body", "TEXT", "The request body."),
            Flag("--force", nil, "Overwrite an existing event; 'given' and 'answer' are kept."),
        ]
    ) { arguments, console in
        if arguments.has("--answer") {
            return EventCommand.answer(
                try arguments.operands(["FILE"])[0], to: console.toolOutput)
        }
        if arguments.isOnly(operands: 1) {
            return EventCommand.expand(arguments.operands[0], to: console.toolOutput)
        }
        let words = try arguments.operands(["FUNCTION", "CASE"])
        var options = EventCommand.Options(
            function: words[0], caseName: words[1],
            events: arguments.text("--events") ?? "Events", method: arguments.text("--method"),
            path: arguments.text("--path"), headers: try Self.headers(arguments),
            body: arguments.text("--body"), isForced: arguments.has("--force"))
        let templates = arguments.all("--template")
        if !templates.isEmpty {
            let files = TemplateFiles(templates, parameters: try arguments.pairs("--parameter"))
            let loaded = try files.read(.standard)
            options.template = (loaded.template, loaded.settings)
        }
        return EventCommand.run(
            options, to: console.toolOutput, clock: .system, random: .system)
    }

    static let shorten = Command(
        name: "shorten", operands: "[FOLDER]",
        summary: "Writes the fixtures of a directory in their shortest form.",
        details: """
            Puts the state and the response of a fixture into the file of its event. The response
            becomes 'answer' if possible, without the parts that the file CONTRACT.answers.json
            defines for all answers; Events/README.md describes both. Prints the names of the
            fixtures that it has changed. The default FOLDER is Events.
            """,
        flags: [
            Flag("--check", nil, "Change nothing; exit with 1 if a fixture can be shorter.")
        ]
    ) { arguments, console in
        let folder = try arguments.operands(["FOLDER"], optional: 1).first
        return ShortenCommand.run(
            folder ?? "Events", isCheck: arguments.has("--check"), to: console.toolOutput)
    }

    /// nil without `--template`.
    private static func templateNamed(_ arguments: Arguments) throws -> TemplateReplay? {
        let templates = arguments.all("--template")
        let parameters = try arguments.pairs("--parameter")
        guard !templates.isEmpty else {
            guard parameters.isEmpty else {
                throw UsageError(description: "--parameter requires --template")
            }
            return nil
        }
        return try TemplateReplay(
            templates, parameters: parameters, executables: arguments.text("--executables"),
            isStrict: arguments.has("--strict"))
    }

    /// nil if this folder has no template.
    private static func templateOfFolder(
        isStrict: Bool
    ) throws(FixtureFailure) -> TemplateReplay? {
        guard let found = ServeOptions.templatesDefault.first(where: Files.exists) else {
            return nil
        }
        do {
            return try TemplateReplay(
                [found], parameters: [], executables: nil, isStrict: isStrict)
        } catch {
            throw FixtureFailure("\(error)")
        }
    }

    private static func headers(_ arguments: Arguments) throws(UsageError) -> [HTTPHeader] {
        var headers: [HTTPHeader] = []
        for text in arguments.all("--header") {
            let parts = text.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
            guard parts.count == 2, !parts[0].isEmpty else {
                throw UsageError(
                    description: "invalid value '\(text)' for --header: expected NAME:VALUE")
            }
            headers.append(
                HTTPHeader(String(parts[0]), String(parts[1].drop { $0 == " " })))
        }
        return headers
    }

    static let replay = Command(
        name: "replay", operands: "[FOLDER]",
        summary: "Replays the fixtures of a directory against the functions.",
        details: """
            Prints a summary, N passed, N failed, and exits with 1 if any failed. The default
            FOLDER is Events; Events/README.md describes the fixture format.
            Without --template, the folder of a fixture has the name of an executable, which reads
            the event from standard input. With it, the folder has the name or logical ID of a
            function of the template, in any language that serve runs; a function that does not
            read standard input gets its event by the Runtime API, with the template's environment
            and empty tables and buckets for each fixture.
            """,
        flags: [
            executables,
            template, parameter,
            Flag(
                "--strict", nil,
                "Verify signatures and policies for all AWS services of the template, so that\n"
                    + "a function fails that does what its Policies do not allow."),
            Flag(
                "--only", "PATTERN",
                "Only fixtures whose names contain PATTERN; * matches any text."),
            Flag("--jobs", "N", "Fixtures to run in parallel. Default: two per processor"),
            Flag(
                "--store", "STORE",
                "dynamodb for the emulator's own, in memory, the URL of another DynamoDB,\n"
                    + "or postgres://USER@HOST/DATABASE, whose user may create tables.\n"
                    + "Default: the store of the fixtures"),
            Flag(
                "--permissions", "FILE",
                "With --store dynamodb: write what each function did in its table, a line\n"
                    + "for each CONTRACT FUNCTION ACTION PARTITION; * is any partition."),
            Flag(
                "--costs", "FILE",
                "With --store dynamodb: write the trips and units of requests into a table\n"
                    + "of this Markdown file, a row for each fixture that the table names, and\n"
                    + "for each route that it does not name."),
            Flag(
                "--faults", nil,
                "With --store dynamodb: make each store call of each request fail in each\n"
                    + "way, and judge the answers (docs/faults.md)."),
            Flag("--update", nil, "Record the actual responses as the expected ones."),
        ]
    ) { arguments, console in
        let folder = try arguments.operands(["FOLDER"], optional: 1).first
        var options = ReplayCommand.Options(
            events: folder ?? "Events", executables: arguments.text("--executables"),
            only: arguments.text("--only"), jobs: try arguments.integer("--jobs", in: 1...1000),
            store: arguments.text("--store"), updates: arguments.has("--update"))
        options.template = try Self.templateNamed(arguments)
        let isStrict = arguments.has("--strict")
        options.isStrict = isStrict
        options.templateOfFolder = { () throws(FixtureFailure) in
            try Self.templateOfFolder(isStrict: isStrict)
        }
        let trust = CertificateTrust { EnvironmentVariables.variable($0) }
        options.permissions = arguments.text("--permissions")
        options.costs = arguments.text("--costs")
        options.isWithFaults = arguments.has("--faults")
        options.authorities = { try? trust.certificates().file }
        let transport = CurlTransport(trust: trust)
        return ReplayCommand.run(
            options, to: console.toolOutput, transport: transport.transport, clock: .system,
            random: .system)
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

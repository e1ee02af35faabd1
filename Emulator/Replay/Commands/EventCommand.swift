internal import Bytes
package import Cryptography
internal import EmulatorBase
package import EmulatorGateway
package import HTTP
internal import JSON
package import Time

/// `emulator event FUNCTION CASE`: creates an event for the function's route. `emulator event
/// FILE`: prints the complete event of a file.
package enum EventCommand {
    package struct Options: Sendable {
        package var function: String
        /// The name of the case: lower-case letters, digits and hyphens.
        package var caseName: String
        /// The folder of events.
        package var events: String
        /// The template that contains the function's routes; nil creates an event for a direct
        /// call.
        package var template: (template: Template, settings: TemplateSettings)?
        /// Overrides the method of the function's first route.
        package var method: String?
        /// Overrides the path; may contain a query.
        package var path: String?
        package var headers: [HTTPHeader]
        package var body: String?
        /// Replaces an existing event.
        package var isForced: Bool

        package init(
            function: String, caseName: String, events: String = "Events",
            template: (template: Template, settings: TemplateSettings)? = nil,
            method: String? = nil, path: String? = nil, headers: [HTTPHeader] = [],
            body: String? = nil, isForced: Bool = false
        ) {
            self.function = function
            self.caseName = caseName
            self.events = events
            self.template = template
            self.method = method
            self.path = path
            self.headers = headers
            self.body = body
            self.isForced = isForced
        }
    }

    /// Prints the path of the event that was created. Returns the exit status.
    package static func run(
        _ options: Options, to output: ToolOutput, clock: WallClock, random: RandomSource
    ) -> Int32 {
        do throws(FixtureFailure) {
            output.print(try make(options, output, clock, random))
            return ExitStatus.success
        } catch {
            output.note("event: \(error)")
            return ExitStatus.usage
        }
    }

    private static func make(
        _ options: Options, _ output: ToolOutput, _ clock: WallClock, _ random: RandomSource
    ) throws(FixtureFailure) -> String {
        guard Fixture.isLegalFunction(options.function) else {
            throw FixtureFailure("\(options.function) is not a valid function name")
        }
        guard Fixture.isLegalCase(options.caseName) else {
            throw FixtureFailure(
                "\(options.caseName): a case name consists of lower-case letters, "
                    + "digits and hyphens"
            )
        }
        let folder = "\(options.events)/\(options.function)"
        let path = "\(folder)/\(options.caseName).json"
        guard options.isForced || !Files.exists(path) else {
            throw FixtureFailure("\(path) exists; use --force to overwrite it")
        }
        let event = try event(options, output, clock, random)
        let short = ShortEvent.abbreviated(event) ?? event
        // Replacing an event keeps the other members.
        let former = FixtureFiles.read(path).flatMap(EventFile.init)
        let file = EventFile(
            event: short, given: former?.given, answer: former?.answer, response: former?.response)
        try FixtureFiles.write(Array(file.json.formatted.utf8), to: path)
        return path
    }

    /// Prints the event of a file, with a short form expanded. Placeholders are not filled. Returns
    /// the exit status.
    package static func expand(_ path: String, to output: ToolOutput) -> Int32 {
        do throws(FixtureFailure) {
            let json = try MemberReader.file(try FixtureFiles.read(argument: path), path)
            output.print(String(try ShortEvent.expanded(json).pretty.dropLast()))
            return ExitStatus.success
        } catch {
            output.note("event: \(error)")
            return ExitStatus.usage
        }
    }

    /// Prints the whole expected response of a fixture, or the responses of a folder as the members
    /// of an object. Returns the exit status.
    package static func answer(_ path: String, to output: ToolOutput) -> Int32 {
        do throws(FixtureFailure) {
            if Files.isDirectory(path) {
                let settings = try FixtureSettings(folder: path)
                var answers = JSONObject()
                let catalog = Fixture.Catalog(root: path)
                if let problem = catalog.problem { throw problem }
                for fixture in catalog.fixtures {
                    answers[fixture.name] = try fixture.response(settings)
                }
                output.print(JSON.object(answers).text)
                return ExitStatus.success
            }
            guard let fixture = Fixture(path: path), Files.exists(path) else {
                throw FixtureFailure("\(path) is not FOLDER/FUNCTION/CASE.json")
            }
            let settings = try FixtureSettings(folder: fixture.root)
            guard let answer = try fixture.response(settings) else {
                throw FixtureFailure("\(path) has no answer")
            }
            output.print(String(answer.pretty.dropLast()))
            return ExitStatus.success
        } catch {
            output.note("event: \(error)")
            return ExitStatus.usage
        }
    }

    private static func event(
        _ options: Options, _ output: ToolOutput, _ clock: WallClock, _ random: RandomSource
    ) throws(FixtureFailure) -> JSON {
        guard let template = options.template else { return try direct(options) }
        let sample = EventSample(
            template.template, settings: template.settings, clock: clock, random: random)
        guard let function = sample.function(options.function) else {
            let names = template.template.functions.map(\.logicalID).joined(separator: ", ")
            throw FixtureFailure(
                "the template has no function \(options.function); functions: \(names)")
        }
        let found: (event: JSON, source: EventSample.Source)?
        do throws(EventSample.Failure) {
            found = try sample.event(
                of: function, method: options.method, path: options.path, request(options))
        } catch {
            throw refusal(error, options)
        }
        guard let found else {
            output.note("the event of a direct call: no route leads to \(options.function)")
            return try direct(options)
        }
        output.note(describe(found.source))
        return found.event
    }

    private static func refusal(
        _ failure: EventSample.Failure, _ options: Options
    ) -> FixtureFailure {
        switch failure {
        case .noRoute(let leading):
            let asked = "\(options.method ?? "GET") \(options.path ?? "/")"
            let others = leading.isEmpty ? "none does" : leading.joined(separator: ", ") + " does"
            return FixtureFailure("\(asked) does not lead to \(options.function): \(others)")
        }
    }

    private static func describe(_ source: EventSample.Source) -> String {
        switch source {
        case .route(let key): "the event of \(key)"
        case .guardOf(let key): "the event of the authorizer of \(key)"
        case .functionURL: "the event of the Function URL"
        case .schedule(let name): "the event of the schedule \(name)"
        }
    }

    /// The event of a direct call is its payload.
    private static func direct(_ options: Options) throws(FixtureFailure) -> JSON {
        guard options.method == nil, options.path == nil, options.headers.isEmpty else {
            throw FixtureFailure("--method, --path and --header require --template")
        }
        guard let body = options.body else { return [:] }
        return try MemberReader.file(Array(body.utf8), "the body")
    }

    private static func request(_ options: Options) -> ServerRequest {
        var headers = options.headers
        func add(_ name: String, _ value: String) {
            guard !headers.contains(where: { $0.name.lowercased().isSame(as: name) }) else {
                return
            }
            headers.append(HTTPHeader(name, value))
        }
        add("host", HTTPAPIEvent.example.host)
        add("user-agent", ShortEvent.userAgent)
        let body = options.body.map { Array($0.utf8) } ?? []
        if !body.isEmpty { add("content-type", ShortEvent.contentType) }
        return ServerRequest(
            method: "GET", target: "/", headers: headers, body: body,
            peer: ShortEvent.sourceAddress, local: ServerAddress(host: 0, port: 443), isSecure: true
        )
    }
}

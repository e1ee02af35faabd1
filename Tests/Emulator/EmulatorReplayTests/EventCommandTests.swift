import BaseTestSupport
import EmulatorBase
import EmulatorGateway
import EmulatorReplay
import Foundation

/// Events created by `emulator event` equal the gateway's.
@Suite("EventCommand") struct EventCommandTests {
    private static let clock = WallClock.fixed(at: Instant(seconds: 1_800_000_000))

    private static func function(_ events: String, _ more: String = "") -> String {
        #"{"Type":"AWS::Serverless::Function","Properties":{"Runtime":"provided.al2023","#
            + #""Handler":"bootstrap","CodeUri":"built/NAME/"\#(more),"Events":{\#(events)}}}"#
    }

    private static let template = """
        {"Resources": {
          "Modern": \(function(#"""
            "Get":{"Type":"HttpApi","Properties":{"ApiId":{"Ref":"Http"},"Method":"GET","Path":"/a/{id}"}},
            "Guarded":{"Type":"HttpApi","Properties":{"ApiId":{"Ref":"Http"},"Method":"POST","Path":"/g",
              "Auth":{"Authorizer":"Guard"}}}
            """#)),
          "Classic": \(function(#"""
            "Any":{"Type":"Api","Properties":{"RestApiId":{"Ref":"Rest"},"Method":"POST","Path":"/c/{rest+}"}}
            """#)),
          "Linked": \(function("", #","FunctionUrlConfig":{"AuthType":"NONE"}"#)),
          "Timed": \(function(#"""
            "Tick":{"Type":"Schedule","Properties":{"Schedule":"rate(1 minute)"}}
            """#)),
          "Guardian": \(function("")),
          "Alone": \(function("")),
          "Http": {"Type":"AWS::Serverless::HttpApi","Properties":{"Auth":{"Authorizers":{"Guard":{
            "FunctionArn":{"Fn::GetAtt":["Guardian","Arn"]},"AuthorizerPayloadFormatVersion":"2.0",
            "EnableSimpleResponses":true,"Identity":{"Headers":["authorization"]}}}}}},
          "Rest": {"Type":"AWS::Serverless::Api","Properties":{"StageName":"live"}}
        }}
        """

    private func template(_ settings: TemplateSettings) throws -> Template {
        try Template(parsing: Array(Self.template.utf8), settings: settings)
    }

    private func options(_ function: String, _ caseName: String = "a") throws
        -> EventCommand.Options
    {
        let settings = TemplateSettings()
        return EventCommand.Options(
            function: function, caseName: caseName, template: (try template(settings), settings))
    }

    private func make(_ options: EventCommand.Options, on bench: FixtureWorkspace) -> Int32 {
        var options = options
        options.events = bench.events
        return EventCommand.run(options, to: bench.output, clock: Self.clock, random: .seeded(7))
    }

    /// The event that the gateway passes to the function.
    private func sent(_ function: String, _ request: ServerRequest) throws -> JSON {
        let calls = Mutex<[(FunctionName, [UInt8])]>([])
        let settings = TemplateSettings()
        let gateway = Gateway(
            try template(settings), settings: settings,
            ports: GatewayPorts(
                invoke: { name, payload, _, completion in
                    calls.withLock { $0.append((name, payload)) }
                    completion(
                        .returned(
                            Array(#"{"isAuthorized":true,"context":{"userId":"user"}}"#.utf8)))
                }, clock: Self.clock, random: .seeded(7), after: { _, _ in }, fetch: { _, _ in },
                identify: { _, _, _ in nil }))
        gateway.handle(request) { _ in }
        let call = calls.withLock { calls in calls.last { $0.0.text.contains(function) } }
        return try JSON.parse(try #require(call).1, limits: .event)
    }

    private static let headers = [
        HTTPHeader("host", "a1b2c3.execute-api.eu-central-1.amazonaws.com"),
        HTTPHeader("user-agent", "App/1.0 (iPhone; iOS 26.0)"),
        HTTPHeader("authorization", "Bearer x"),
    ]

    @Test(arguments: [
        ("Modern", "GET", "/a/7?q=1&q=2", nil, "/a/7?q=1&q=2"),
        ("Modern", "GET", nil, nil, "/a/id"),
        ("Modern", "POST", "/g", #"{"x":1}"#, "/g"),
        ("Guardian", "POST", "/g", nil, "/g"),
        ("Classic", "POST", "/c/d/e?f=g", "{}", "/live/c/d/e?f=g"),
        ("Classic", "POST", nil, nil, "/live/c/rest"),
        ("Linked", "PUT", "/any", "text", "/_lambda-url/Linked/any"),
    ])
    func `an event equals the gateway's`(
        _ function: String, _ method: String, _ path: String?, _ body: String?, _ target: String
    ) throws {
        let bench = try FixtureWorkspace()
        var options = try options(function)
        (options.method, options.path, options.body) = (method, path, body)
        options.headers = [HTTPHeader("authorization", "Bearer x")]
        expectEqual(make(options, on: bench), 0)
        expectEqual(bench.printed, ["\(bench.events)/\(function)/a.json"])
        let made = try ShortEvent.expanded(
            try JSON.parse(try bench.folder.read("Events/\(function)/a.json"), limits: .event))

        var headers = [Self.headers[2]] + Self.headers[..<2]
        if body != nil { headers.append(HTTPHeader("content-type", "application/json")) }
        let logicalTarget =
            target.hasPrefix("/_lambda-url/")
            ? target.replacing("Linked", with: try linkedName()) : target
        let sent = try sent(
            function,
            ServerRequest(
                method: method, target: logicalTarget, headers: headers,
                body: Array((body ?? "").utf8), peer: ServerAddress(host: 0xCB00_7109, port: 0),
                local: ServerAddress(host: 0, port: 443), isSecure: true))
        expectEqual(made["routeKey"], sent["routeKey"])
        expectEqual(Self.withoutNumbers(made), Self.withoutNumbers(sent))
    }

    private func linkedName() throws -> String {
        let settings = TemplateSettings()
        let functions = try template(settings).functions
        return try #require(functions.first { $0.logicalID == "Linked" }).name.text
    }

    /// Random numbers are drawn in a different order if an authorizer was invoked before.
    private static func withoutNumbers(_ json: JSON) -> JSON {
        guard var event = json.objectValue, var context = json["requestContext"]?.objectValue else {
            return json
        }
        // The short form contains neither the API nor the time.
        var varying = ["requestId", "extendedRequestId"]
        if json["version"] == "2.0" {
            varying += ["apiId", "domainName", "domainPrefix", "time", "timeEpoch"]
        }
        for name in varying { context[name] = nil }
        if let authorizer = context["authorizer"]?.objectValue, authorizer["lambda"] == nil {
            context["authorizer"] = nil
        }
        event["requestContext"] = .object(context)
        for part in ["headers", "multiValueHeaders"] {
            guard let headers = event[part]?.objectValue else { continue }
            event[part] = .object(
                JSONObject(
                    headers.members.filter { $0.name.lowercased() != "x-amzn-trace-id" }
                        .map { ($0.name, $0.value) }))
        }
        return .object(event)
    }

    @Test func `the event of an HTTP API's route has the short form`() throws {
        let bench = try FixtureWorkspace()
        var options = try options("Modern")
        options.path = "/a/7"
        options.headers = [HTTPHeader("Authorization", "Bearer <token>")]
        expectEqual(make(options, on: bench), 0)
        let made = try JSON.parse(try bench.folder.read("Events/Modern/a.json"), limits: .event)
        expectEqual(made, ["request": "GET /a/7", "route": "GET /a/{id}", "bearer": "<token>"])
    }

    @Test func `a schedule's event has the scheduler's format`() throws {
        let bench = try FixtureWorkspace()
        expectEqual(make(try options("Timed"), on: bench), 0)
        let event = try JSON.parse(try bench.folder.read("Events/Timed/a.json"), limits: .event)
        expectEqual(event["detail-type"], "Scheduled Event")
        expectEqual(event["time"], "2027-01-15T08:00:00Z")
    }

    @Test func `a function without a route is called directly`() throws {
        let bench = try FixtureWorkspace()
        var options = try options("Alone")
        options.body = #"{"x": [1]}"#
        expectEqual(make(options, on: bench), 0)
        try expectEqual(bench.read("Events/Alone/a.json"), "{\n  \"x\": [1]\n}\n")
    }

    @Test func `an existing event is replaced only with force`() throws {
        let bench = try FixtureWorkspace()
        try bench.write("mine", to: "Events/Alone/a.json")
        var options = try options("Alone")
        expectEqual(make(options, on: bench), 2)
        expectEqual(bench.noted.last?.contains("--force"), true)
        try expectEqual(bench.read("Events/Alone/a.json"), "mine")
        options.isForced = true
        expectEqual(make(options, on: bench), 0)
    }

    @Test func `a replaced event keeps its 'given'`() throws {
        let bench = try FixtureWorkspace()
        var options = try options("Modern")
        options.isForced = true
        let given = #""given": {"exit": 1}"#
        try bench.write(#"{\#(given), "request": "GET /old"}"#, to: "Events/Modern/a.json")
        expectEqual(make(options, on: bench), 0)
        let json = try JSON.parse(
            Array(try bench.read("Events/Modern/a.json").utf8), limits: .event)
        expectEqual(json["given"], ["exit": 1])
        #expect(json["request"] != "GET /old")

        var direct = try self.options("Alone")
        direct.isForced = true
        try bench.write(#"{\#(given), "request": "GET /old"}"#, to: "Events/Alone/a.json")
        expectEqual(make(direct, on: bench), 0)
        let other = try JSON.parse(
            Array(try bench.read("Events/Alone/a.json").utf8), limits: .event)
        expectEqual(other, ["given": ["exit": 1], "event": [:]])
    }

    @Test(arguments: [
        ("Nobody", "a", nil, nil, "has no function Nobody"),
        ("Modern", "a", "GET", "/nowhere", "GET /a/{id}"),
        ("Modern", "Upper", nil, nil, "lower-case"),
        ("../x", "a", nil, nil, "not a valid function name"),
        ("Alone", "a", "GET", "/x", "none does"), ("Modern", "../a", nil, nil, "lower-case"),
    ])
    func `an invalid request is rejected with the reason`(
        _ function: String, _ caseName: String, _ method: String?, _ path: String?,
        _ reason: String
    ) throws {
        let bench = try FixtureWorkspace()
        var options = try options(function, caseName)
        (options.method, options.path) = (method, path)
        expectEqual(make(options, on: bench), 2)
        expectEqual(bench.noted.last?.contains(reason), true)
        expectEqual(bench.printed, [])
    }
}

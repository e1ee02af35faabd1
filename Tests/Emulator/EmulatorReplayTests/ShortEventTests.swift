import BaseTestSupport
import EmulatorBase
import EmulatorGateway
import EmulatorReplay
import Foundation

@Suite("ShortEvent") struct ShortEventTests {
    private func expanded(_ short: String) throws -> JSON {
        try ShortEvent.expanded(try JSON.parse(short, limits: .event))
    }

    private func failure(_ short: String) -> String? {
        do {
            _ = try expanded(short)
            return nil
        } catch {
            return "\(error)"
        }
    }

    private static let template = """
        {"Resources": {
          "F": {"Type":"AWS::Serverless::Function","Properties":{"Runtime":"provided.al2023",
            "Handler":"bootstrap","CodeUri":"f/","Events":{
              "A":{"Type":"HttpApi","Properties":{"ApiId":{"Ref":"Api"},"Method":"POST","Path":"/a"}},
              "I":{"Type":"HttpApi","Properties":{"ApiId":{"Ref":"Api"},"Method":"GET","Path":"/i/{id}"}},
              "D":{"Type":"HttpApi","Properties":{"ApiId":{"Ref":"Api"}}}}}},
          "Api": {"Type":"AWS::Serverless::HttpApi","Properties":{}}
        }}
        """

    /// The event that the gateway passes to the function.
    private func sent(_ request: ServerRequest) throws -> JSON {
        let payloads = Mutex<[[UInt8]]>([])
        let settings = TemplateSettings()
        let gateway = Gateway(
            try Template(parsing: Array(Self.template.utf8), settings: settings),
            settings: settings,
            ports: GatewayPorts(
                invoke: { _, payload, _, completion in
                    payloads.withLock { $0.append(payload) }
                    completion(.returned(Array("{}".utf8)))
                }, clock: .fixed(at: Instant(seconds: 1_800_000_000)), random: .seeded(7),
                after: { _, _ in }, fetch: { _, _ in }, identify: { _, _, _ in nil }))
        gateway.handle(request) { _ in }
        return try JSON.parse(
            try #require(payloads.withLock { $0.last }), limits: .event)
    }

    private static func request(
        _ method: String, _ target: String, _ headers: [(String, String)] = [],
        body: String = "", isSecure: Bool = true, port: UInt16 = 443
    ) -> ServerRequest {
        let usual = [
            ("host", "a1b2c3.execute-api.eu-central-1.amazonaws.com"),
            ("user-agent", "App/1.0 (iPhone; iOS 26.0)"),
        ].filter { name, _ in !headers.contains { $0.0 == name } }
        return ServerRequest(
            method: method, target: target,
            headers: (usual + headers).map { HTTPHeader($0.0, $0.1) }, body: Array(body.utf8),
            peer: ServerAddress(host: 0xCB00_7109, port: 4711),
            local: ServerAddress(host: 0, port: port), isSecure: isSecure)
    }

    /// Requests, with the short form of the event that the emulator's gateway sends for them.
    private static let requests: [(ServerRequest, String)] = [
        (request("POST", "/a"), #"{"request": "POST /a"}"#),
        (
            request(
                "POST", "/a?b=c", [("content-type", "application/json")], body: #"{"d":null}"#),
            #"{"request": "POST /a?b=c", "body": {"d": null}}"#
        ),
        // White space and order are significant: a body that is not compact remains a text.
        (
            request("POST", "/a", [("content-type", "application/json")], body: #"{"d": 1}"#),
            #"{"request": "POST /a", "body": "{\"d\": 1}"}"#
        ),
        (
            request(
                "GET", "/i/%C3%A9%20", [("authorization", "Bearer x"), ("cookie", "a=b; c=d")]),
            #"{"request": "GET /i/%c3%a9%20", "route": "GET /i/{id}", "bearer": "x","#
                + #""cookies": ["a=b", "c=d"]}"#
        ),
        // Forms are base64 in the event.
        (
            request(
                "PUT", "/x", [("content-type", "application/x-www-form-urlencoded")], body: "a=b"),
            #"{"request": "PUT /x", "route": "$default", "body": "a=b","#
                + #""headers": {"content-type": "application/x-www-form-urlencoded"}}"#
        ),
        (
            request(
                "POST", "/a",
                [("host", "127.0.0.1:8000"), ("user-agent", "curl/8"), ("accept", "*/*")],
                isSecure: false, port: 8000),
            #"{"request": "POST http://127.0.0.1:8000/a","#
                + #""headers": {"accept": "*/*", "user-agent": "curl/8"}}"#
        ),
        (
            request(
                "POST", "/a", [("x-forwarded-for", "198.51.100.7"), ("authorization", "Basic x")]),
            #"{"request": "POST /a","#
                + #""headers": {"authorization": "Basic x", "x-forwarded-for": "198.51.100.7"}}"#
        ),
    ]

    @Test(arguments: requests)
    func `the short form of an event expands to the same event`(
        _ request: ServerRequest, _ short: String
    ) throws {
        let event = try sent(request)
        expectEqual(ShortEvent.abbreviated(event), try JSON.parse(short, limits: .event))
        expectEqual(Self.withoutNumbers(try expanded(short)), Self.withoutNumbers(event))
    }

    /// Without the parts that differ between requests or APIs.
    private static func withoutNumbers(_ json: JSON) -> JSON {
        guard var event = json.objectValue, var context = event["requestContext"]?.objectValue,
            var headers = event["headers"]?.objectValue
        else { return json }
        for name in ["apiId", "domainName", "domainPrefix", "requestId", "time", "timeEpoch"] {
            context[name] = nil
        }
        headers["x-amzn-trace-id"] = nil
        event["requestContext"] = .object(context)
        event["headers"] = .object(headers)
        return .object(event)
    }

    @Test(
        arguments: [
            ("version", "1.0"), ("type", "REQUEST"), ("rawPath", "/prod/a"), ("rawPath", "/%61"),
            ("stageVariables", ["a": "b"]), ("body", "/w=="),
        ] as [(String, JSON)])
    func `an event that the short form cannot express is unchanged`(
        _ name: String, _ value: JSON
    ) throws {
        let short = """
            {"request": "POST /a", "headers": {"content-type": "image/png"}, "body": "x"}
            """
        var event = try #require(try expanded(short).objectValue)
        #expect(ShortEvent.abbreviated(.object(event)) != nil)
        event[name] = value
        expectEqual(ShortEvent.abbreviated(.object(event)), nil)
    }

    @Test(
        arguments: [
            ("authorizer", "user"), ("stage", "prod"), ("accountId", "anonymous"),
        ] as [(String, JSON)])
    func `an event with its own context is unchanged`(_ name: String, _ value: JSON) throws {
        var event = try #require(try expanded(#"{"request": "POST /a"}"#).objectValue)
        var context = try #require(event["requestContext"]?.objectValue)
        context[name] = value
        event["requestContext"] = .object(context)
        expectEqual(ShortEvent.abbreviated(.object(event)), nil)
    }

    @Test func `an authorizer's context is a member of the short form`() throws {
        let short = #"{"request": "POST /a", "authorizer": {"lambda": {"userId": "user"}}}"#
        let event = try expanded(short)
        expectEqual(event["requestContext"]?["authorizer"], ["lambda": ["userId": "user"]])
        expectEqual(ShortEvent.abbreviated(event), try JSON.parse(short, limits: .event))
    }

    @Test func `the members of a short form appear in the event`() throws {
        let event = try expanded(
            #"""
            {"request": "GET http://localhost/a", "route": "ANY /{rest+}", "sourceIp": "192.0.2.1",
             "time": "2026-01-06T12:00:00Z",
             "headers": {"user-agent": null, "x-two": ["a", "b"]}, "body": "text"}
            """#)
        expectEqual(event["routeKey"], "ANY /{rest+}")
        expectEqual(event["pathParameters"], ["rest": "a"])
        expectEqual(event["body"], "text")
        let headers = try #require(event["headers"])
        expectEqual(headers["host"], "localhost")
        expectEqual(headers["x-forwarded-port"], "80")
        expectEqual(headers["x-two"], "a,b")
        expectEqual(headers["user-agent"], nil)
        let context = try #require(event["requestContext"])
        expectEqual(context["http"]?["sourceIp"], "192.0.2.1")
        expectEqual(context["timeEpoch"], 1_767_700_800_000)
    }

    @Test(arguments: [
        (
            #"{"request": "/a"}"#,
            "event.request: expected METHOD PATH such as 'POST /auth/signin', found '/a'"
        ),
        (#"{"request": "POST"}"#, "found 'POST'"), (#"{"request": "POST a"}"#, "found 'POST a'"),
        (#"{"request": ""}"#, "found ''"), (#"{"request": "POST /a b"}"#, "found 'POST /a b'"),
        (#"{"request": "POST http://:80/"}"#, "expected METHOD PATH"),
        (
            #"{"request": "GET /", "header": {}}"#,
            "event.header is unknown: an event with 'request' has request, route, headers"
        ),
        (#"{"request": "GET /", "headers": ["a"]}"#, "event.headers is not an object"),
        (#"{"request": "GET /", "headers": {"a": 1}}"#, "event.headers.a is not a string"),
        (
            #"{"request": "GET /", "headers": {"a b": "c"}}"#,
            "event.headers.a b is not a valid header name"
        ),
        (
            #"{"request": "GET /", "headers": {"X-Forwarded-Proto": "http"}}"#,
            "event.headers.X-Forwarded-Proto is set by the gateway: write 'METHOD http://"
        ),
        (#"{"request": "GET /", "cookies": "a=b"}"#, "event.cookies is not a list of strings"),
        (
            #"{"request": "GET /", "bearer": "a", "headers": {"Authorization": "b"}}"#,
            "event has both bearer and headers.authorization"
        ),
        (#"{"request": "GET /", "bearer": null}"#, "event.bearer is not a string"),
        (#"{"request": "GET /", "authorizer": "a"}"#, "event.authorizer is not an object"),
        (
            #"{"request": "GET /", "sourceIp": "::1"}"#,
            "event.sourceIp: expected an IPv4 address, found '::1'"
        ),
        (
            #"{"request": "GET /", "time": "today"}"#,
            "event.time: expected a time such as 2026-03-12T19:03:58Z, found 'today'"
        ),
        (
            #"{"request": "GET /a", "route": "GET /b"}"#,
            "event.route: GET /a does not lead to GET /b"
        ),
        (
            #"{"request": "GET /a", "route": "/a"}"#,
            "event.route: GET /a does not lead to /a; expected METHOD PATH"
        ),
    ])
    func `an invalid short form is refused with the reason`(_ short: String, _ reason: String) {
        expectEqual(failure(short)?.contains(reason), true, "\(failure(short) ?? "it was taken")")
    }

    @Test(arguments: ["{}", "[]", #"{"request": {"a": 1}}"#, #"{"body": "x", "headers": {}}"#])
    func `any other event is unchanged`(_ event: String) throws {
        try expectEqual(expanded(event), try JSON.parse(event, limits: .event))
    }
}

@Suite("ShortEventCommands") struct ShortEventCommandTests {
    /// Answers with its event.
    private static let echo = """
        #!/usr/bin/python3 -IS
        import json, sys
        event = json.load(sys.stdin)
        answer = [event["headers"]["authorization"], event["rawPath"], json.loads(event["body"])]
        print(json.dumps({"statusCode": 200, "body": json.dumps(answer)}))
        """

    @Test func `a member 'given' of any other event is part of the event`() throws {
        let bench = try FixtureWorkspace()
        try bench.install("f", "#!/bin/sh\ncat\n")
        try bench.write(#"{"given": {"x": 1}}"#, to: "Events/f/a.json")
        expectEqual(bench.replay(), 1)
        #expect(bench.text.contains("has 'given', but neither 'request' nor 'event'"))
        try bench.write(#"{"given": {"x": 1}}"#, to: "Events/f/a.response.json")
        expectEqual(bench.replay(), 0)
    }

    @Test func `an event of another form has its state and its response in its file`() throws {
        let bench = try FixtureWorkspace()
        try bench.install("f", "#!/bin/sh\ncat\n")
        let events = [
            #"{"answer": 1}"#, #""a text""#, "[]", #"{"event": {"x": 1}}"#, #"{"a": "<v>"}"#,
        ]
        for (number, event) in events.enumerated() {
            let values = event.contains("<v>") ? #"{"v": "x"}"# : "{}"
            try bench.write(
                #"{"given": {"values": \#(values)}, "event": \#(event), "response": \#(event)}"#,
                to: "Events/f/e\(number).json")
        }
        #expect(bench.replay() == 0, "\(bench.text)")
        try bench.write(
            #"{"event": {}, "answer": {"status": 200}, "response": {}}"#, to: "Events/f/both.json")
        expectEqual(bench.replay(), 1)
        #expect(bench.text.contains("f/both.json has both answer and response"), "\(bench.text)")
    }

    @Test func `shorten puts the parts of a fixture into one file`() throws {
        let bench = try FixtureWorkspace()
        try bench.install("f", "#!/bin/sh\ncat\n")
        for name in ["a", "b"] {
            let event = name == "a" ? #"{"v": "<v>"}"# : #"{"v": "<v>", "v": 1}"#
            try bench.write(event, to: "Events/f/\(name).json")
            try bench.write(#"{"values": {"v": "x"}}"#, to: "Events/f/\(name).given.json")
            try bench.write(event, to: "Events/f/\(name).response.json")
        }
        func shorten(isCheck: Bool) -> Int32 {
            ShortenCommand.run(bench.events, isCheck: isCheck, to: bench.output)
        }
        expectEqual(shorten(isCheck: true), 1)
        expectEqual(shorten(isCheck: false), 0)
        try expectEqual(
            bench.read("Events/f/a.json"),
            """
            {
              "given": {"values": {"v": "x"}},
              "event": {"v": "<v>"},
              "response": {"v": "<v>"}
            }

            """)
        for part in ["given", "response"] {
            #expect(!bench.folder.exists("Events/f/a.\(part).json"))
            // The event is not valid JSON.
            #expect(bench.folder.exists("Events/f/b.\(part).json"))
        }
        expectEqual(shorten(isCheck: true), 0)
    }

    @Test func `a replay reports an invalid short form`() throws {
        let bench = try FixtureWorkspace()
        try bench.install("f", Self.echo)
        try bench.write(#"{"request": "POST /x", "boddy": {}}"#, to: "Events/f/a.json")
        try bench.write(#"{"request": "POST /x"}"#, to: "Events/f/b.json")
        try bench.write(
            #"{"steps": [{"function": "f", "request": "/x"}]}"#, to: "Events/f/b.given.json")
        try bench.write(
            """
            {"given": {"steps": [{"function": "f", "request": "GET /x", "given": {}}]},
            "request": "GET /x"}
            """, to: "Events/f/c.json")
        try bench.write(#"{"given": 1, "request": "GET /x"}"#, to: "Events/f/d.json")
        expectEqual(bench.replay(), 1)
        #expect(bench.text.contains("f/a\n    event.boddy is unknown"))
        #expect(bench.text.contains("f/b\n    steps.request: expected METHOD PATH"))
        #expect(bench.text.contains("f/c\n    steps.given is unknown"))
        #expect(bench.text.contains("f/d\n    given is not an object"))
    }

    @Test func `event FILE prints the function's event`() throws {
        let bench = try FixtureWorkspace()
        try bench.write(
            #"{"given": {"values": {}}, "request": "GET /x", "bearer": "<token>"}"#,
            to: "short.json")
        try bench.write(#"{"a":[1]}"#, to: "whole.json")
        expectEqual(EventCommand.expand(bench.folder.file("short.json"), to: bench.output), 0)
        let event = try JSON.parse(try #require(bench.last), limits: .event)
        expectEqual(event["rawPath"], "/x")
        expectEqual(event["headers"]?["authorization"], "Bearer <token>")
        expectEqual(EventCommand.expand(bench.folder.file("whole.json"), to: bench.output), 0)
        expectEqual(bench.last, "{\n  \"a\": [1]\n}")
    }

    @Test(arguments: [
        (#"{"request": "GET"}"#, "event.request: expected METHOD PATH"),
        ("no json", "not valid JSON"),
    ])
    func `event FILE reports an invalid file`(_ text: String, _ reason: String) throws {
        let bench = try FixtureWorkspace()
        try bench.write(text, to: "a.json")
        expectEqual(EventCommand.expand(bench.folder.file("a.json"), to: bench.output), 2)
        expectEqual(bench.noted.last?.contains(reason), true)
        expectEqual(EventCommand.expand(bench.folder.file("none.json"), to: bench.output), 2)
        expectEqual(bench.noted.last?.contains("none.json: No such file or directory"), true)
    }
}

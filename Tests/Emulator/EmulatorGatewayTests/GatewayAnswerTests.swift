import BaseTestSupport
import EmulatorBase
import EmulatorGateway

/// The gateways' own error responses, byte for byte.
@Suite("GatewayAnswers") struct GatewayAnswerTests {
    @Test(arguments: [
        (InvocationOutcome.failed("{}".bytes), 500, "Internal Server Error"),
        (.timedOut, 500, "Internal Server Error"),
        (.throttled, 429, "Too Many Requests"),
        (.payloadTooLarge, 413, "Request Entity Too Large"),
    ])
    func `an HTTP API answers function failures with its errors`(
        outcome: InvocationOutcome, status: Int, message: String
    ) throws {
        let harness = try GatewayHarness(SAMTemplates.http())
        harness.reply("F", outcome)
        let response = try harness.send("GET", "/")
        expectEqual(response.status, status)
        expectEqual(response.text, #"{"message":"\#(message)"}"#)
        expectEqual(response.header("content-type"), "application/json")
        #expect(response.header("apigw-requestid") != nil)
    }

    @Test(arguments: [
        (InvocationOutcome.failed("{}".bytes), 502, "Internal server error"),
        (.timedOut, 502, "Internal server error"),
        (.throttled, 429, "Too Many Requests"),
        (.payloadTooLarge, 413, "Request Too Long"),
    ])
    func `a REST API answers function failures with its errors`(
        outcome: InvocationOutcome, status: Int, message: String
    )
        throws
    {
        let harness = try GatewayHarness(SAMTemplates.rest())
        harness.reply("F", outcome)
        let response = try harness.send("GET", "/prod/a")
        expectEqual(response.status, status)
        expectEqual(response.text, #"{"message":"\#(message)"}"#)
        #expect(response.header("x-amzn-errortype") != nil)
        expectEqual(response.header("x-amzn-requestid")?.utf8.count, 36)
        #expect(response.header("x-amzn-trace-id") != nil)
    }

    @Test func `requests without a route get the errors of their kind of API`() throws {
        let http = try GatewayHarness(SAMTemplates.http([("GET", "/a")]))
        for (method, path) in [("GET", "/b"), ("POST", "/a"), ("GET", "/a/"), ("OPTIONS", "/a")] {
            let response = try http.send(method, path)
            expectEqual(response.status, 404)
            expectEqual(response.text, #"{"message":"Not Found"}"#)
        }
        let rest = try GatewayHarness(SAMTemplates.rest([("GET", "/a")]))
        for (method, path) in [("GET", "/prod/b"), ("POST", "/prod/a"), ("GET", "/x")] {
            let response = try rest.send(method, path)
            expectEqual(response.status, 403)
            expectEqual(response.text, #"{"message":"Missing Authentication Token"}"#)
            expectEqual(response.header("x-amzn-errortype"), "MissingAuthenticationTokenException")
        }
        #expect(http.calls.isEmpty && rest.calls.isEmpty)
    }

    @Test func `an integration timeout is reported once`() throws {
        for (template, target, status, body) in [
            (SAMTemplates.http(function: ["Timeout": 60]), "/", 503, "Service Unavailable"),
            (
                SAMTemplates.rest(more: [
                    "F": SAMTemplates.function(
                        ["E": SAMTemplates.restEvent("ANY", "/{proxy+}")], ["Timeout": 60])
                ]), "/prod/a", 504, "Endpoint request timed out"
            ),
        ] {
            let harness = try GatewayHarness(template)
            harness.silence("F")
            let answer = harness.start(request("GET", target))
            expectEqual(answer.response, nil)
            expectEqual(harness.timerCount, 1)
            harness.fireTimers()
            expectEqual(answer.response?.status, status)
            expectEqual(answer.response?.text, #"{"message":"\#(body)"}"#)
            harness.fireTimers()
            expectEqual(answer.count, 1)
        }
    }

    @Test func `no timer is set if the function's own timeout is shorter`() throws {
        let harness = try GatewayHarness(SAMTemplates.http(function: ["Timeout": 10]))
        try harness.send("GET", "/")
        expectEqual(harness.timerCount, 0)
    }

    @Test func `size limits are exact to the byte`() throws {
        let harness = try GatewayHarness(SAMTemplates.http())
        // "GET / HTTP/1.1" with its line end, and a header with its separators.
        let fixed = 3 + 1 + 8 + 4 + 1 + 4
        let fits = String(repeating: "x", count: 10_240 - fixed)
        try expectEqual(harness.send("GET", "/", [("A", fits)]).status, 200)
        let over = try harness.send("GET", "/", [("A", fits + "x")])
        expectEqual(over.status, 431)
        expectEqual(over.text, #"{"message":"Request Header Fields Too Large"}"#)
        var options = GatewayOptions()
        options.headTooLargeStatus = 400
        let other = try GatewayHarness(SAMTemplates.http(), options: options)
        try expectEqual(other.send("GET", "/", [("A", fits + "x")]).status, 400)
        let large = try harness.send(
            "POST", "/", [("Content-Type", "text/plain")],
            body: [UInt8](repeating: 0x61, count: (10 << 20) + 1))
        expectEqual(large.status, 413)
        expectEqual(large.text, #"{"message":"Request Entity Too Large"}"#)
    }

    @Test func `base64 reduces the maximum body by a quarter`() throws {
        let harness = try GatewayHarness(SAMTemplates.http())
        let five = [UInt8](repeating: 0x61, count: 5 << 20)
        try expectEqual(
            harness.send("POST", "/", [("Content-Type", "text/plain")], body: five).status, 200)
        let response = try harness.send("POST", "/", [("Content-Type", "image/png")], body: five)
        expectEqual(response.status, 413)
        expectEqual(harness.calls.count, 1)
    }

    @Test func `a template without an API has no routes`() throws {
        let harness = try GatewayHarness(SAMTemplates.url())
        try expectEqual(harness.send("GET", "/").status, 404)
    }

    @Test func `throttling uses a bucket per route`() throws {
        let harness = try GatewayHarness(
            SAMTemplates.http(
                [("GET", "/a"), ("GET", "/b")],
                api: [
                    "DefaultRouteSettings": [
                        "ThrottlingBurstLimit": 2, "ThrottlingRateLimit": 1,
                    ],
                    "RouteSettings": [
                        "GET /b": ["ThrottlingBurstLimit": 1, "ThrottlingRateLimit": 10]
                    ],
                ]))
        try expectEqual((0..<3).map { _ in try harness.send("GET", "/a").status }, [200, 200, 429])
        try expectEqual(harness.send("GET", "/a").text, #"{"message":"Too Many Requests"}"#)
        try expectEqual((0..<2).map { _ in try harness.send("GET", "/b").status }, [200, 429])
        harness.advance(by: .milliseconds(100))
        try expectEqual(harness.send("GET", "/b").status, 200)
        try expectEqual(harness.send("GET", "/a").status, 429)
        harness.advance(by: .milliseconds(900))
        try expectEqual(harness.send("GET", "/a").status, 200)
        harness.advance(by: .hours(-5))
        try expectEqual(harness.send("GET", "/a").status, 429)
        harness.advance(by: .hours(10))
        try expectEqual((0..<3).map { _ in try harness.send("GET", "/a").status }, [200, 200, 429])
    }

    @Test func `several APIs are selected by name, host and route`() throws {
        let template: JSON = [
            "Resources": [
                "One": ["Type": "AWS::Serverless::HttpApi"],
                "Two": [
                    "Type": "AWS::Serverless::Api", "Properties": ["StageName": "prod"],
                ],
                "F": SAMTemplates.function([
                    "A": [
                        "Type": "HttpApi",
                        "Properties": ["ApiId": ["Ref": "One"], "Method": "GET", "Path": "/x"],
                    ],
                    "B": [
                        "Type": "Api",
                        "Properties": [
                            "RestApiId": ["Ref": "Two"], "Method": "GET", "Path": "/{p}",
                        ],
                    ],
                ]),
            ]
        ]
        let harness = try GatewayHarness(template)
        let two = harness.template.apis[1].id
        try harness.send("GET", "/x")
        try expectEqual(harness.event()["version"], "2.0")
        try harness.send("GET", "/prod/y")
        try expectEqual(harness.event()["resource"], "/{p}")
        try harness.send("GET", "/x", [("Host", "\(two).execute-api.us-east-1.amazonaws.com")])
        try expectEqual(harness.event()["resource"], "/{p}")
        try harness.send("GET", "/_api/Two/prod/x")
        try expectEqual(harness.event()["path"], "/x")
        try expectEqual(harness.send("GET", "/_api/Two/prod/a/b").status, 403)
    }
}

import BaseTestSupport
import EmulatorBase
import EmulatorGateway

/// Payload 2.0 (API Gateway Developer Guide, "Create AWS Lambda proxy integrations for HTTP APIs").
@Suite("EventV2") struct EventV2Tests {
    @Test func `absent values have no key`() throws {
        let harness = try GatewayHarness(SAMTemplates.http())
        try harness.send("GET", "/a")
        let event = try #require(harness.event().objectValue)
        expectEqual(event["rawQueryString"], "")
        expectEqual(event["rawPath"], "/a")
        for name in [
            "cookies", "queryStringParameters", "pathParameters", "stageVariables", "body",
        ] {
            expectEqual(event[name], nil)
        }
        expectEqual(event["requestContext"]?["authorizer"], nil)
        expectEqual(event["isBase64Encoded"], false)
        expectEqual(event["routeKey"], "$default")
    }

    @Test func `repeated headers are joined and cookies are not headers`() throws {
        let harness = try GatewayHarness(SAMTemplates.http())
        try harness.send(
            "GET", "/",
            [
                ("X-A", "1"), ("x-a", "2"), ("Cookie", "a=1; b=2"), ("cookie", "c=3;d"),
                ("Connection", "keep-alive"), ("TE", "trailers"), ("Transfer-Encoding", "chunked"),
            ])
        let event = try harness.event()
        expectEqual(event["headers"]?["x-a"], "1,2")
        expectEqual(event["headers"]?["cookie"], nil)
        for name in ["connection", "te", "transfer-encoding"] {
            expectEqual(event["headers"]?[name], nil)
        }
        expectEqual(event["cookies"], ["a=1", "b=2", "c=3", "d"])
    }

    @Test(arguments: [
        ("application/json", false), ("application/json; charset=utf-8", false),
        ("APPLICATION/JSON", false), ("text/plain", false), ("text/csv;header=present", false),
        ("application/xml", false), ("application/javascript", false),
        ("application/x-www-form-urlencoded", true), ("application/octet-stream", true),
        ("multipart/form-data; boundary=x", true), ("application/problem+json", true),
        ("image/png", true), ("", true), ("application/jsonx", true),
    ])
    func `the content type determines whether the body is base64`(type: String, isBase64: Bool)
        throws
    {
        let harness = try GatewayHarness(SAMTemplates.http())
        try harness.send("POST", "/", [("Content-Type", type)], body: "a=1".bytes)
        try expectEqual(harness.event()["isBase64Encoded"], .bool(isBase64))
        try expectEqual(harness.event()["body"], .string(isBase64 ? "YT0x" : "a=1"))
    }

    @Test func `bytes that are not UTF-8 are preserved for any content type`() throws {
        let harness = try GatewayHarness(SAMTemplates.http())
        harness.reply("F", #"{"statusCode":200,"body":"/wD+gA==","isBase64Encoded":true}"#)
        for type in ["application/octet-stream", "application/json"] {
            let response = try harness.send(
                "POST", "/", [("Content-Type", type)], body: [0xFF, 0x00, 0xFE, 0x80])
            try expectEqual(harness.event()["body"], "/wD+gA==")
            try expectEqual(harness.event()["isBase64Encoded"], true)
            expectEqual(response.body, [0xFF, 0x00, 0xFE, 0x80])
        }
    }

    @Test(
        arguments: [
            ("/a%2Fb%20c?x=%26&x=+", "/a/b c", "x=%26&x=+", ["x": "&, "]),
            ("/a%25b", "/a%25b", "", nil), ("/%E2%82%AC", "/€", "", nil),
            ("/%FF", "/%FF", "", nil), ("/%zz%", "/%zz%", "", nil), ("/a+b", "/a+b", "", nil),
            ("/%2525", "/%2525", "", nil), ("/?a", "/", "a", ["a": ""]),
            ("/?=v", "/", "=v", ["": "v"]), ("/?", "/", "", nil), ("/?&&", "/", "&&", nil),
            ("/?a=%zz", "/", "a=%zz", ["a": "%zz"]),
            (
                "/?a%5B%5D=1&a[]=2", "/", "a%5B%5D=1&a[]=2",
                ["a[]": "1,2"]
            ),
            ("/?a=b=c?d", "/", "a=b=c?d", ["a": "b=c?d"]),
        ] as [(String, String, String, JSON?)])
    func `path and query are decoded as AWS does it`(
        target: String, rawPath: String, query: String, parameters: JSON?
    ) throws {
        let harness = try GatewayHarness(SAMTemplates.http())
        try harness.send("GET", target)
        let event = try harness.event()
        expectEqual(event["rawPath"], .string(rawPath))
        expectEqual(event["requestContext"]?["http"]?["path"], .string(rawPath))
        expectEqual(event["rawQueryString"], .string(query))
        expectEqual(event["queryStringParameters"], parameters)
    }

    @Test func `a greedy parameter has no leading slash`() throws {
        let harness = try GatewayHarness(SAMTemplates.http([("ANY", "/files/{proxy+}")]))
        try harness.send("GET", "/files/a/b%20c/d")
        try expectEqual(harness.event()["pathParameters"], ["proxy": "a/b c/d"])
        try expectEqual(harness.event()["routeKey"], "ANY /files/{proxy+}")
    }

    @Test func `every request has its own id and the current time`() throws {
        let harness = try GatewayHarness(SAMTemplates.http())
        var ids: Set<String> = []
        var times: Set<Int64> = []
        for _ in 0..<200 {
            let response = try harness.send("GET", "/")
            let context = try harness.event()["requestContext"]
            let id = try #require(context?["requestId"]?.stringValue)
            expectEqual(response.header("apigw-requestid"), id)
            ids.insert(id)
            times.insert(try #require(context?["timeEpoch"]?.int64Value))
            harness.advance(by: .milliseconds(1))
        }
        expectEqual(ids.count, 200)
        expectEqual(times.count, 200)
    }

    @Test func `forwarding and trace headers of the client are extended`() throws {
        let harness = try GatewayHarness(SAMTemplates.http())
        try harness.send(
            "GET", "/",
            [
                ("X-Forwarded-For", "198.51.100.1"),
                ("X-Amzn-Trace-Id", "Root=1-67a5f0e1-0123456789abcdef01234567;Sampled=1"),
                ("traceparent", "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"),
            ])
        let headers = try harness.event()["headers"]
        expectEqual(headers?["x-forwarded-for"], "198.51.100.1, 203.0.113.9")
        let trace = try #require(headers?["x-amzn-trace-id"]?.stringValue)
        #expect(trace.hasPrefix("Root=1-67a5f0e1-0123456789abcdef01234567;Parent="))
        #expect(trace.hasSuffix(";Sampled=1"))
        #expect(headers?["traceparent"] != nil)
    }

    @Test func `configured rules for host names and forwarding headers take effect`() throws {
        var options = GatewayOptions()
        options.domainName = .asRequested
        options.forwarded = .https443
        let harness = try GatewayHarness(SAMTemplates.http(), options: options)
        var request = request("GET", "/", [("Host", "127.0.0.1:8000")])
        request.isSecure = false
        request.local = ServerAddress(host: 0, port: 8000)
        try harness.send(request)
        let event = try harness.event()
        expectEqual(event["requestContext"]?["domainName"], "127.0.0.1")
        expectEqual(event["headers"]?["x-forwarded-proto"], "https")
        expectEqual(event["headers"]?["x-forwarded-port"], "443")
        let plain = try GatewayHarness(SAMTemplates.http())
        try plain.send(request)
        try expectEqual(plain.event()["headers"]?["x-forwarded-proto"], "http")
        try expectEqual(plain.event()["headers"]?["x-forwarded-port"], "8000")
    }
}

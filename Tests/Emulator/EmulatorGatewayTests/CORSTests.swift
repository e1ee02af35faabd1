import BaseTestSupport
import EmulatorBase
import EmulatorGateway

@Suite("CORS") struct CORSTests {
    private static let rules: JSONObject = [
        "CorsConfiguration": [
            "AllowOrigins": ["https://app.test", "https://*.dev.test"],
            "AllowMethods": ["GET", "POST"], "AllowHeaders": ["authorization", "x-a"],
            "ExposeHeaders": ["x-b"], "MaxAge": 600, "AllowCredentials": true,
        ]
    ]

    @Test(arguments: ["https://app.test", "https://x.dev.test"])
    func `the gateway answers a preflight`(origin: String) throws {
        let harness = try GatewayHarness(SAMTemplates.http([("GET", "/a")], api: Self.rules))
        let response = try harness.send(
            "OPTIONS", "/a", [("Origin", origin), ("Access-Control-Request-Method", "GET")])
        expectEqual(response.status, 204)
        #expect(response.body.isEmpty)
        expectEqual(response.header("access-control-allow-origin"), origin)
        expectEqual(response.header("access-control-allow-methods"), "GET,POST")
        expectEqual(response.header("access-control-allow-headers"), "authorization,x-a")
        expectEqual(response.header("access-control-max-age"), "600")
        expectEqual(response.header("access-control-allow-credentials"), "true")
        expectEqual(response.header("vary"), "Origin")
        #expect(response.header("apigw-requestid") != nil)
        #expect(harness.calls.isEmpty)
    }

    @Test(arguments: [
        "https://evil.test", "https://app.test.evil", "null", "https://app.test:8443",
        "HTTPS://APP.TEST",
    ])
    func `another origin gets no CORS headers`(origin: String) throws {
        let harness = try GatewayHarness(SAMTemplates.http([("GET", "/a")], api: Self.rules))
        let preflight = try harness.send(
            "OPTIONS", "/a", [("Origin", origin), ("Access-Control-Request-Method", "GET")])
        expectEqual(preflight.status, 204)
        expectEqual(preflight.header("access-control-allow-origin"), nil)
        let actual = try harness.send("GET", "/a", [("Origin", origin)])
        expectEqual(actual.status, 200)
        expectEqual(actual.header("access-control-allow-origin"), nil)
        expectEqual(actual.header("vary"), "Origin")
    }

    @Test func `the function's own headers are overwritten`() throws {
        let harness = try GatewayHarness(SAMTemplates.http([("GET", "/a")], api: Self.rules))
        harness.reply(
            "F",
            #"{"statusCode":200,"headers":{"Access-Control-Allow-Origin":"*","access-control-max-age":"1"}}"#
        )
        let response = try harness.send("GET", "/a", [("Origin", "https://app.test")])
        expectEqual(response.all("access-control-allow-origin"), ["https://app.test"])
        expectEqual(response.header("access-control-max-age"), nil)
        expectEqual(response.header("access-control-expose-headers"), "x-b")
        try expectEqual(harness.send("GET", "/a").all("access-control-allow-origin"), [])
        let error = try harness.send("GET", "/none", [("Origin", "https://app.test")])
        expectEqual(error.status, 404)
        expectEqual(error.header("access-control-allow-origin"), "https://app.test")
    }

    @Test func `without CORS rules, preflights and headers are left to the function`() throws {
        let harness = try GatewayHarness(SAMTemplates.http())
        harness.reply("F", #"{"statusCode":200,"headers":{"access-control-allow-origin":"x"}}"#)
        let preflight = [("Origin", "https://a.test"), ("Access-Control-Request-Method", "GET")]
        try expectEqual(harness.send("OPTIONS", "/", preflight).status, 200)
        expectEqual(harness.calls.count, 1)
        try expectEqual(
            harness.send("GET", "/", preflight).header("access-control-allow-origin"), "x")
    }

    @Test func `true allows every origin`() throws {
        let harness = try GatewayHarness(SAMTemplates.http(api: ["CorsConfiguration": true]))
        let response = try harness.send("GET", "/", [("Origin", "https://a.test")])
        expectEqual(response.header("access-control-allow-origin"), "*")
        expectEqual(response.header("vary"), nil)
        // OPTIONS without an origin is a normal request.
        try harness.send("OPTIONS", "/")
        expectEqual(harness.calls.count, 2)
    }

    @Test func `a REST API answers preflights with a mock integration`() throws {
        let harness = try GatewayHarness(
            SAMTemplates.rest(
                [("POST", "/a"), ("GET", "/a"), ("ANY", "/b"), ("OPTIONS", "/c")],
                api: [
                    "Cors": ["AllowOrigin": "'*'", "AllowHeaders": "'x-a,x-b'", "MaxAge": "'60'"]
                ]))
        let response = try harness.send("OPTIONS", "/prod/a")
        expectEqual(response.status, 200)
        expectEqual(response.header("access-control-allow-origin"), "*")
        expectEqual(response.header("access-control-allow-methods"), "GET,OPTIONS,POST")
        expectEqual(response.header("access-control-allow-headers"), "x-a,x-b")
        expectEqual(response.header("access-control-max-age"), "60")
        #expect(harness.calls.isEmpty)
        try harness.send("OPTIONS", "/prod/c")
        expectEqual(harness.calls.count, 1)
        try expectEqual(harness.send("OPTIONS", "/prod/none").status, 403)
        harness.reply("F", #"{"statusCode":200,"headers":{"Access-Control-Allow-Origin":"y"}}"#)
        try expectEqual(harness.send("GET", "/prod/a").header("access-control-allow-origin"), "y")
    }
}

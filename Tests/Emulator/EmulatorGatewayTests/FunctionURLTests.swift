import BaseTestSupport
import EmulatorBase
import EmulatorGateway

/// Lambda Developer Guide, "Invoking Lambda function URLs".
@Suite("FunctionURL") struct FunctionURLTests {
    @Test func `the documented example is reproduced`() throws {
        let harness = try GatewayHarness(SAMTemplates.url())
        let url = try #require(harness.template.functions.first?.url)
        let response = try harness.send(
            "POST", "/_lambda-url/F/a%20b?q=1&q=2",
            [
                ("Cookie", "sid=abc"), ("Content-Type", "application/json"),
                ("Host", "h.test"), ("User-Agent", "curl/7.88.1"),
            ], body: "{}".bytes)
        let event = try harness.event()
        let id = try #require(event["requestContext"]?["requestId"]?.stringValue)
        expectEqual(id.utf8.count, 36)
        expectEqual(response.header("x-amzn-requestid"), id)
        let trace = try #require(event["headers"]?["x-amzn-trace-id"])
        let domain = "\(url.id).lambda-url.us-east-1.on.aws"
        expectEqual(
            event,
            [
                "version": "2.0", "routeKey": "$default", "rawPath": "/a%20b",
                "rawQueryString": "q=1&q=2", "cookies": ["sid=abc"],
                "headers": [
                    "content-length": "2", "content-type": "application/json",
                    "cookie": "sid=abc", "host": "h.test", "user-agent": "curl/7.88.1",
                    "x-amzn-tls-cipher-suite": "TLS_AES_128_GCM_SHA256",
                    "x-amzn-tls-version": "TLSv1.3", "x-amzn-trace-id": trace,
                    "x-forwarded-for": "203.0.113.9", "x-forwarded-port": "443",
                    "x-forwarded-proto": "https",
                ],
                "queryStringParameters": ["q": "1,2"],
                "requestContext": [
                    "accountId": "anonymous", "apiId": .string(url.id),
                    "domainName": .string(domain), "domainPrefix": .string(url.id),
                    "http": [
                        "method": "POST", "path": "/a%20b", "protocol": "HTTP/1.1",
                        "sourceIp": "203.0.113.9", "userAgent": "curl/7.88.1",
                    ],
                    "requestId": .string(id), "routeKey": "$default", "stage": "$default",
                    "time": "12/Mar/2020:19:03:58 +0000", "timeEpoch": 1_584_039_838_390,
                ],
                "body": "{}", "isBase64Encoded": false,
            ])
    }

    @Test func `a function URL is also reachable by its host name`() throws {
        let harness = try GatewayHarness(SAMTemplates.url())
        let url = try #require(harness.template.functions.first?.url)
        let host = ("Host", "\(url.id).lambda-url.us-east-1.on.aws")
        try expectEqual(harness.send("GET", "/x%2Fy", [host]).status, 200)
        try expectEqual(harness.event()["rawPath"], "/x%2Fy")
        try expectEqual(harness.send("GET", "/_lambda-url/\(url.id)").status, 200)
        try expectEqual(harness.event()["rawPath"], "/")
    }

    @Test(arguments: [
        (#"{"hello":"x"}"#, #"{"hello":"x"}"#), ("[1, 2]", "[1,2]"), (#""hello""#, "hello"),
        ("3", "3"), ("3.1", "3.1"), ("true", "true"), ("null", "null"),
    ])
    func `a reply without a status is inferred to be a JSON body`(
        reply: String, body: String
    ) throws {
        let harness = try GatewayHarness(SAMTemplates.url())
        harness.reply("F", reply)
        let response = try harness.send("GET", "/_lambda-url/F/")
        expectEqual(response.status, 200)
        expectEqual(response.text, body)
        expectEqual(response.header("content-type"), "application/json")
    }

    @Test(arguments: [
        (InvocationOutcome.failed([]), 502, "Internal Server Error"),
        (.timedOut, 502, "Internal Server Error"),
        (.returned("{".bytes), 502, "Internal Server Error"),
        (.returned(#"{"statusCode":"x"}"#.bytes), 502, "Internal Server Error"),
        (
            .throttled, 429,
            #"""
            {"Reason":"ReservedFunctionConcurrentInvocationLimitExceeded","Type":"User",\#
            "message":"Rate Exceeded."}
            """#
        ),
    ])
    func `failures have the messages of function URLs`(
        outcome: InvocationOutcome, status: Int, body: String
    ) throws {
        let harness = try GatewayHarness(SAMTemplates.url())
        harness.reply("F", outcome)
        let response = try harness.send("GET", "/_lambda-url/F/")
        expectEqual(response.status, status)
        expectEqual(response.text, body)
        #expect(response.header("x-amzn-requestid") != nil)
    }

    @Test func `an unknown URL is refused`() throws {
        let harness = try GatewayHarness(SAMTemplates.url())
        let response = try harness.send("GET", "/_lambda-url/G/")
        expectEqual(response.status, 403)
        expectEqual(response.text, #"{"Message":null}"#)
        expectEqual(response.header("x-amzn-errortype"), "AccessDeniedException")
        #expect(harness.calls.isEmpty)
    }

    @Test func `IAM authorises if the template requires it`() throws {
        let harness = try GatewayHarness(SAMTemplates.url(["AuthType": "AWS_IAM"]))
        let refused = try harness.send("GET", "/_lambda-url/F/")
        expectEqual(refused.status, 403)
        #expect(
            refused.text.hasPrefix(
                #"{"Message":"Forbidden. For troubleshooting Function URL authorization issues, "#
                    + "see: "))
        #expect(harness.calls.isEmpty)
        harness.sign(as: sampleCaller)
        try expectEqual(harness.send("GET", "/_lambda-url/F/").status, 200)
        let context = try harness.event()["requestContext"]
        expectEqual(context?["accountId"], "123456789012")
        expectEqual(context?["authorizer"]?["iam"]?["accessKey"], "AKIDEXAMPLE")
        expectEqual(context?["authorizer"]?["iam"]?["cognitoIdentity"], .null)
    }

    @Test func `the CORS rules of the URL answer preflights`() throws {
        let harness = try GatewayHarness(
            SAMTemplates.url([
                "AuthType": "NONE",
                "Cors": ["AllowOrigins": ["https://a.test"], "AllowMethods": ["GET"], "MaxAge": 5],
            ]))
        let preflight = try harness.send(
            "OPTIONS", "/_lambda-url/F/",
            [("Origin", "https://a.test"), ("Access-Control-Request-Method", "GET")])
        expectEqual(preflight.status, 200)
        expectEqual(preflight.header("access-control-allow-origin"), "https://a.test")
        expectEqual(preflight.header("access-control-max-age"), "5")
        #expect(harness.calls.isEmpty)
    }
}

let sampleCaller = IAMCaller(
    accessKey: "AKIDEXAMPLE", accountID: "123456789012", callerID: "AIDAEXAMPLE",
    userARN: "arn:aws:iam::123456789012:user/u", userID: "AIDAEXAMPLE")

import BaseTestSupport
import EmulatorBase
import EmulatorGateway

/// Payload 1.0 of a REST API (API Gateway Developer Guide, "Lambda proxy integrations").
@Suite("EventV1") struct EventV1Tests {
    @Test func `the documented example is reproduced`() throws {
        let harness = try GatewayHarness(SAMTemplates.rest([("POST", "/auth/{proxy+}")]))
        let response = try harness.send(
            "POST", "/prod/auth/sign%20in?x=1&x=2",
            [
                ("Accept", "*/*"), ("Content-Type", "application/json"), ("Host", "h.test"),
                ("User-Agent", "curl/7.88.1"), ("X-A", "1"), ("X-A", "2"),
                ("Cookie", "a=1"), ("Content-Length", "7"),
            ], body: "{\"a\":1}".bytes)
        let event = try #require(harness.event().objectValue)
        expectEqual(event["resource"], "/auth/{proxy+}")
        expectEqual(event["path"], "/auth/sign%20in")
        expectEqual(event["httpMethod"], "POST")
        expectEqual(event["headers"]?["Content-Type"], "application/json")
        expectEqual(event["headers"]?["X-A"], "2")
        expectEqual(event["multiValueHeaders"]?["X-A"], ["1", "2"])
        expectEqual(event["headers"]?["Cookie"], "a=1")
        expectEqual(event["headers"]?["Content-Length"], nil)
        expectEqual(event["headers"]?["X-Forwarded-Proto"], "https")
        expectEqual(event["multiValueHeaders"]?["X-Forwarded-For"], ["203.0.113.9"])
        expectEqual(event["queryStringParameters"], ["x": "2"])
        expectEqual(event["multiValueQueryStringParameters"], ["x": ["1", "2"]])
        expectEqual(event["pathParameters"], ["proxy": "sign%20in"])
        expectEqual(event["stageVariables"], .null)
        expectEqual(event["body"], "{\"a\":1}")
        expectEqual(event["isBase64Encoded"], false)
        expectEqual(event["version"], nil)
        let context = try #require(event["requestContext"]?.objectValue)
        expectEqual(context["resourcePath"], "/auth/{proxy+}")
        expectEqual(context["path"], "/prod/auth/sign%20in")
        expectEqual(context["requestTime"], "12/Mar/2020:19:03:58 +0000")
        expectEqual(context["requestTimeEpoch"], 1_584_039_838_390)
        expectEqual(context["stage"], "prod")
        expectEqual(context["protocol"], "HTTP/1.1")
        expectEqual(context["authorizer"], nil)
        let id = try #require(context["requestId"]?.stringValue)
        expectEqual(id.utf8.count, 36)
        expectEqual(response.header("x-amzn-requestid"), id)
        expectEqual(response.header("x-amz-apigw-id"), context["extendedRequestId"]?.stringValue)
        expectEqual(
            context["identity"],
            [
                "cognitoIdentityPoolId": .null, "accountId": .null, "cognitoIdentityId": .null,
                "caller": .null, "sourceIp": "203.0.113.9", "principalOrgId": .null,
                "accessKey": .null, "cognitoAuthenticationType": .null,
                "cognitoAuthenticationProvider": .null, "userArn": .null,
                "userAgent": "curl/7.88.1", "user": .null,
            ])
    }

    @Test func `absent values are null`() throws {
        let harness = try GatewayHarness(SAMTemplates.rest([("GET", "/a")]))
        try harness.send("GET", "/prod/a")
        let event = try #require(harness.event().objectValue)
        for name in [
            "queryStringParameters", "multiValueQueryStringParameters", "pathParameters",
            "stageVariables", "body",
        ] {
            expectEqual(event[name], .null)
        }
    }

    @Test func `a form is text, unless its type is a binary one`() throws {
        let form = [("Content-Type", "application/x-www-form-urlencoded; charset=utf-8")]
        let plain = try GatewayHarness(SAMTemplates.rest())
        try plain.send("POST", "/prod/a", form, body: "a=1".bytes)
        try expectEqual(plain.event()["body"], "a=1")
        for types: JSON in [
            ["application~1x-www-form-urlencoded"], ["*~1*"], ["application/*"],
        ] {
            let binary = try GatewayHarness(SAMTemplates.rest(api: ["BinaryMediaTypes": types]))
            try binary.send("POST", "/prod/a", form, body: "a=1".bytes)
            try expectEqual(binary.event()["body"], "YT0x")
            try expectEqual(binary.event()["isBase64Encoded"], true)
        }
    }

    @Test func `the stage may be omitted from paths, unless it is required`() throws {
        let lax = try GatewayHarness(SAMTemplates.rest([("GET", "/a")]))
        try expectEqual(lax.send("GET", "/a").status, 200)
        try expectEqual(lax.event()["requestContext"]?["path"], "/prod/a")
        var options = GatewayOptions()
        options.stageInPath = .required
        let strict = try GatewayHarness(SAMTemplates.rest([("GET", "/a")]), options: options)
        try expectEqual(strict.send("GET", "/prod/a").status, 200)
        let refused = try strict.send("GET", "/a")
        expectEqual(refused.status, 403)
        expectEqual(refused.text, #"{"message":"Forbidden"}"#)
    }

    @Test func `an HTTP API can use payload 1.0`() throws {
        let harness = try GatewayHarness(
            SAMTemplates.http([("GET", "/a/{id}")], event: ["PayloadFormatVersion": "1.0"]))
        harness.reply(
            "F", #"{"statusCode":201,"multiValueHeaders":{"X":["1","2"]},"other":1,"body":"b"}"#)
        let response = try harness.send("GET", "/a/b%20c?x=1")
        let event = try harness.event()
        expectEqual(event["version"], "1.0")
        expectEqual(event["resource"], "/a/{id}")
        expectEqual(event["pathParameters"], ["id": "b c"])
        expectEqual(event["stageVariables"], .null)
        expectEqual(response.status, 201)
        expectEqual(response.all("x"), ["1", "2"])
    }
}

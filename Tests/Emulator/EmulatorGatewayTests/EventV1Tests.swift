import BaseTestSupport
import EmulatorBase
import EmulatorGateway

/// Payload 1.0 of a REST API (API Gateway Developer Guide, "Lambda proxy integrations").
@Suite("EventV1") struct EventV1Tests {
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

import BaseTestSupport
import EmulatorBase
import EmulatorGateway

/// API Gateway Developer Guide, "Lambda proxy integrations".
@Suite("Replies") struct ReplyTests {
    @Test(arguments: [
        (#"{"a":1}"#, 200, #"{"a":1}"#), (#""hi""#, 200, "hi"), ("null", 200, "null"),
        ("[]", 200, "[]"), ("{}", 200, "{}"), ("1.50", 200, "1.50"), ("false", 200, "false"),
        (#"{"body":"x"}"#, 200, #"{"body":"x"}"#),
        (#"{"statusCode":204}"#, 204, ""), (#"{"statusCode":404,"body":"no"}"#, 404, "no"),
        (#"{"statusCode":200,"body":"aGk=","isBase64Encoded":true}"#, 200, "hi"),
        (#"{"statusCode":200,"body":null,"headers":null,"cookies":null}"#, 200, ""),
        (#"{"statusCode":200,"unknown":{"x":1},"body":"y"}"#, 200, "y"),
    ])
    func `payload 2.0 responses may be bare JSON`(reply: String, status: Int, body: String)
        throws
    {
        let harness = try GatewayHarness(SAMTemplates.http())
        harness.reply("F", reply)
        let response = try harness.send("GET", "/")
        expectEqual(response.status, status)
        expectEqual(response.text, body)
        expectEqual(
            response.header("content-type"),
            reply.contains("statusCode") ? "text/plain; charset=utf-8" : "application/json")
    }

    @Test(arguments: [
        "", "{", "hello", "{\"statusCode\":200}x", #"{"statusCode":"abc"}"#,
        #"{"statusCode":"200"}"#, #"{"statusCode":200.5}"#, #"{"statusCode":null}"#,
        #"{"statusCode":99}"#, #"{"statusCode":100}"#, #"{"statusCode":600}"#,
        #"{"statusCode":-1}"#, #"{"statusCode":true}"#, #"{"statusCode":99999999999999999999}"#,
        #"{"statusCode":200,"headers":[]}"#, #"{"statusCode":200,"headers":{"a":[]}}"#,
        #"{"statusCode":200,"headers":{"a":"x\r\nset-cookie: y=1"}}"#,
        #"{"statusCode":200,"headers":{"a b":"x"}}"#, #"{"statusCode":200,"headers":{"":"x"}}"#,
        #"{"statusCode":200,"headers":{"a":"\u0000"}}"#,
        #"{"statusCode":200,"cookies":"a=1"}"#, #"{"statusCode":200,"cookies":[1]}"#,
        #"{"statusCode":200,"cookies":["a=1\nb"]}"#, #"{"statusCode":200,"body":{}}"#,
        #"{"statusCode":200,"body":1}"#, #"{"statusCode":200,"isBase64Encoded":"true"}"#,
        #"{"statusCode":200,"isBase64Encoded":true,"body":"%%%"}"#, "\u{FEFF}{}",
    ])
    func `an invalid payload 2.0 response is an internal error`(reply: String) throws {
        let harness = try GatewayHarness(SAMTemplates.http())
        harness.reply("F", reply)
        let response = try harness.send("GET", "/")
        expectEqual(response.status, 500)
        expectEqual(response.text, #"{"message":"Internal Server Error"}"#)
        #expect(response.header("apigw-requestid") != nil)
    }

    @Test func `cookies come first and in order, and framing headers are dropped`() throws {
        let harness = try GatewayHarness(SAMTemplates.http())
        harness.reply(
            "F",
            #"""
            {"statusCode":200,"cookies":["a=1; Path=/","b=2"],"headers":{"set-cookie":"c=3",
             "X-N":5,"X-B":true,"X-Null":null,"Content-Length":"99","Transfer-Encoding":"chunked",
             "Content-Type":"text/plain","apigw-requestid":"mine"},"body":"hi"}
            """#)
        let response = try harness.send("GET", "/")
        expectEqual(response.all("set-cookie"), ["a=1; Path=/", "b=2", "c=3"])
        expectEqual(response.header("x-n"), "5")
        expectEqual(response.header("x-b"), "true")
        expectEqual(response.header("x-null"), nil)
        expectEqual(response.header("content-length"), nil)
        expectEqual(response.header("transfer-encoding"), nil)
        expectEqual(response.all("content-type"), ["text/plain"])
        expectEqual(response.all("apigw-requestid").count, 1)
        #expect(response.header("apigw-requestid") != "mine")
    }

    @Test func `a status that is a string is accepted if configured`() throws {
        var options = GatewayOptions()
        options.v2TakesStatusText = true
        let harness = try GatewayHarness(SAMTemplates.http(), options: options)
        harness.reply("F", #"{"statusCode":"201"}"#)
        try expectEqual(harness.send("GET", "/").status, 201)
        harness.reply("F", #"{"statusCode":"abc"}"#)
        try expectEqual(harness.send("GET", "/").status, 500)
    }

    @Test(arguments: [
        (#"{"statusCode":200}"#, 200, ""), (#"{"headers":{"a":"b"}}"#, 200, ""),
        (#"{"statusCode":"201"}"#, 201, ""), (#"{"body":"x"}"#, 200, "x"),
        (#"{"statusCode":200,"headers":null,"body":null}"#, 200, ""),
        (#"{"statusCode":200,"body":"aGk=","isBase64Encoded":true}"#, 200, "aGk="),
    ])
    func `payload 1.0 responses are parsed`(reply: String, status: Int, body: String) throws {
        let harness = try GatewayHarness(SAMTemplates.rest())
        harness.reply("F", reply)
        let response = try harness.send("GET", "/prod/a")
        expectEqual(response.status, status)
        expectEqual(response.text, body)
        expectEqual(response.header("content-type"), "application/json")
    }

    @Test(arguments: [
        #"{"statusCode":"test"}"#, "{}", #""text""#, "null", "[]", "3", "", "{",
        #"{"statusCode":200,"cookies":[]}"#, #"{"statusCode":200,"unknown":1}"#,
        #"{"statusCode":200,"multiValueHeaders":{"a":"b"}}"#,
        #"{"statusCode":200,"multiValueHeaders":[]}"#, #"{"statusCode":200,"headers":"x"}"#,
        #"{"statusCode":200,"body":{}}"#, #"{"statusCode":1000}"#,
        #"{"statusCode":200,"headers":{"a":"x\ny"}}"#,
    ])
    func `an invalid payload 1.0 response is a bad gateway error`(reply: String) throws {
        let harness = try GatewayHarness(SAMTemplates.rest())
        harness.reply("F", reply)
        let response = try harness.send("GET", "/prod/a")
        expectEqual(response.status, 502)
        expectEqual(response.text, #"{"message":"Internal server error"}"#)
        expectEqual(response.header("x-amzn-errortype"), "InternalServerErrorException")
    }

    @Test func `both maps of headers are sent, with their original capitalisation`()
        throws
    {
        let harness = try GatewayHarness(SAMTemplates.rest())
        harness.reply(
            "F",
            #"""
            {"statusCode":200,"headers":{"x-a":"3","X-Flag":true,"WWW-Authenticate":"Basic"},
             "multiValueHeaders":{"X-A":["1","2"],"Set-Cookie":["a=1","b=2"]}}
            """#)
        let response = try harness.send("GET", "/prod/a")
        let named = response.headers.filter { $0.name.lowercased() == "x-a" }
        expectEqual(named.map(\.name), ["X-A", "X-A", "X-A"])
        expectEqual(named.map(\.value), ["1", "2", "3"])
        expectEqual(response.all("set-cookie"), ["a=1", "b=2"])
        expectEqual(response.header("x-flag"), "true")
        expectEqual(response.header("x-amzn-remapped-www-authenticate"), "Basic")
        expectEqual(response.header("www-authenticate"), nil)
    }

    @Test(arguments: [
        ("image/png", "image/png", "hi"), ("image/png, */*", "image/png", "hi"),
        ("*/*, image/png", "image/png", "aGk="), ("text/html", "image/png", "aGk="),
        ("*/*", "*~1*", "hi"), ("image/webp", "image/*", "hi"),
    ])
    func `base64 is decoded if the first accepted type is binary`(
        accept: String, types: String, body: String
    ) throws {
        let harness = try GatewayHarness(
            SAMTemplates.rest(api: ["BinaryMediaTypes": [.string(types)]]))
        harness.reply("F", #"{"statusCode":200,"body":"aGk=","isBase64Encoded":true}"#)
        try expectEqual(harness.send("GET", "/prod/a", [("Accept", accept)]).text, body)
    }
}

import EmulatorBase
import EmulatorGateway
import HTTP
import JSON
import TestSupport
import Testing

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
    func `payload 2.0 responses are parsed and inferred`(reply: String, status: Int, body: String)
        throws
    {
        let harness = try GatewayHarness(SAMTemplates.http())
        harness.reply("F", reply)
        let response = try harness.send("GET", "/")
        #expect(response.status == status)
        #expect(response.text == body)
        #expect(response.header("content-type") == "application/json")
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
        #expect(response.status == 500)
        #expect(response.text == #"{"message":"Internal Server Error"}"#)
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
        #expect(response.all("set-cookie") == ["a=1; Path=/", "b=2", "c=3"])
        #expect(response.header("x-n") == "5")
        #expect(response.header("x-b") == "true")
        #expect(response.header("x-null") == nil)
        #expect(response.header("content-length") == nil)
        #expect(response.header("transfer-encoding") == nil)
        #expect(response.all("content-type") == ["text/plain"])
        #expect(response.all("apigw-requestid").count == 1)
        #expect(response.header("apigw-requestid") != "mine")
    }

    @Test func `a status as text is accepted if configured`() throws {
        var options = GatewayOptions()
        options.v2TakesStatusText = true
        let harness = try GatewayHarness(SAMTemplates.http(), options: options)
        harness.reply("F", #"{"statusCode":"201"}"#)
        #expect(try harness.send("GET", "/").status == 201)
        harness.reply("F", #"{"statusCode":"abc"}"#)
        #expect(try harness.send("GET", "/").status == 500)
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
        #expect(response.status == status)
        #expect(response.text == body)
        #expect(response.header("content-type") == "application/json")
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
        #expect(response.status == 502)
        #expect(response.text == #"{"message":"Internal server error"}"#)
        #expect(response.header("x-amzn-errortype") == "InternalServerErrorException")
    }

    @Test func `both header maps are sent, multi-value headers first and with their spelling`()
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
        #expect(named.map(\.name) == ["X-A", "X-A", "X-A"])
        #expect(named.map(\.value) == ["1", "2", "3"])
        #expect(response.all("set-cookie") == ["a=1", "b=2"])
        #expect(response.header("x-flag") == "true")
        #expect(response.header("x-amzn-remapped-www-authenticate") == "Basic")
        #expect(response.header("www-authenticate") == nil)
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
        #expect(try harness.send("GET", "/prod/a", [("Accept", accept)]).text == body)
    }
}

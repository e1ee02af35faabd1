import EmulatorBase
import EmulatorTemplate
import EmulatorGateway
import JSON
import TestSupport
import Testing
import Time

@Suite("RESTAuthorizers") struct RESTAuthorizerTests {
    private func harness(_ properties: JSONObject = [:]) throws -> GatewayHarness {
        var authorizer: JSONObject = ["FunctionArn": ["Fn::GetAtt": ["Guard", "Arn"]]]
        for (name, value) in properties.members { authorizer[name] = value }
        return try GatewayHarness(
            SAMTemplates.rest(
                [("GET", "/me"), ("GET", "/other")],
                api: [
                    "Auth": [
                        "Authorizers": ["G": .object(authorizer)], "DefaultAuthorizer": "G",
                    ]
                ], more: ["Guard": SAMTemplates.function([:])]))
    }

    private static func policy(_ effect: String, context: String = "{}") -> String {
        #"{"principalId":"u1","policyDocument":{"Version":"2012-10-17","Statement":[{"Action":"execute-api:Invoke","Effect":"\#(effect)","Resource":"*"}]},"context":\#(context)}"#
    }

    private let token = [("Authorization", "t0k")]

    @Test func `a TOKEN authorizer receives the token, and its context becomes strings`() throws {
        let harness = try harness()
        let api = try #require(harness.template.apis.first).id
        harness.reply(
            "Guard", Self.policy("Allow", context: #"{"n":3,"b":true,"s":"x","z":null}"#))
        #expect(try harness.send("GET", "/prod/me", token).status == 200)
        #expect(
            harness.calls.first?.event == [
                "type": "TOKEN",
                "methodArn": .string(
                    "arn:aws:execute-api:us-east-1:123456789012:\(api)/prod/GET/me"),
                "authorizationToken": "t0k",
            ])
        #expect(
            try harness.event()["requestContext"]?["authorizer"] == [
                "principalId": "u1", "n": "3", "b": "true", "s": "x", "z": .null,
                "integrationLatency": 0,
            ])
    }

    @Test func `refusals have the gateway's messages`() throws {
        let harness = try harness(["Identity": ["ReauthorizeEvery": 0]])
        let missing = try harness.send("GET", "/prod/me")
        #expect(missing.status == 401)
        #expect(missing.text == #"{"message":"Unauthorized"}"#)
        #expect(missing.header("x-amzn-errortype") == "UnauthorizedException")
        #expect(harness.calls.isEmpty)
        harness.reply("Guard", Self.policy("Deny"))
        let denied = try harness.send("GET", "/prod/me", token)
        #expect(denied.status == 403)
        #expect(
            denied.text
                == #"{"Message":"User is not authorized to access this resource with an explicit deny"}"#
        )
        harness.reply("Guard", #"{"principalId":"u","policyDocument":{"Statement":[]}}"#)
        #expect(
            try harness.send("GET", "/prod/me", token).text
                == #"{"Message":"User is not authorized to access this resource"}"#)
        harness.reply("Guard", .failed(#"{"errorMessage":"Unauthorized"}"#.bytes))
        #expect(try harness.send("GET", "/prod/me", token).status == 401)
    }

    @Test(arguments: [
        InvocationOutcome.failed(#"{"errorMessage":"other"}"#.bytes), .timedOut,
        .returned("{}".bytes), .returned("x".bytes),
        .returned(policy("Allow", context: #"{"a":[]}"#).bytes),
        .returned(policy("Allow", context: #"{"a":{}}"#).bytes),
        .returned(#"{"policyDocument":{"Statement":[]}}"#.bytes),
    ])
    func `a failing authorizer is an error without a message`(outcome: InvocationOutcome) throws {
        let harness = try harness()
        harness.reply("Guard", outcome)
        let response = try harness.send("GET", "/prod/me", token)
        #expect(response.status == 500)
        #expect(response.text == #"{"message":null}"#)
        #expect(
            response.header("x-amzn-errortype") == "AuthorizerConfigurationException")
    }

    @Test func `results are cached for five minutes by default`() throws {
        let harness = try harness()
        harness.reply("Guard", Self.policy("Allow"))
        for _ in 0..<3 { try harness.send("GET", "/prod/me", token) }
        try harness.send("GET", "/prod/other", token)
        #expect(harness.calls.count { $0.function == "Guard" } == 1)
        harness.advance(by: .seconds(300))
        try harness.send("GET", "/prod/me", token)
        #expect(harness.calls.count { $0.function == "Guard" } == 2)
    }

    @Test func `a token that does not match the pattern is not passed on`() throws {
        let harness = try harness([
            "Identity": ["Header": "X-Token", "ValidationExpression": "^t[0-9]+$"]
        ])
        harness.reply("Guard", Self.policy("Allow"))
        #expect(try harness.send("GET", "/prod/me", [("X-Token", "nope")]).status == 401)
        #expect(try harness.send("GET", "/prod/me", [("X-Token", "t1x")]).status == 401)
        #expect(harness.calls.isEmpty)
        #expect(try harness.send("GET", "/prod/me", [("x-token", "t12")]).status == 200)
    }

    @Test func `a REQUEST authorizer receives the whole request`() throws {
        let harness = try harness([
            "FunctionPayloadType": "REQUEST",
            "Identity": [
                "Headers": ["X-A"], "QueryStrings": ["q"], "Context": ["httpMethod"],
                "ReauthorizeEvery": 30,
            ],
        ])
        harness.reply("Guard", Self.policy("Allow"))
        #expect(try harness.send("GET", "/prod/me", [("X-A", "1")]).status == 401)
        #expect(harness.calls.isEmpty)
        #expect(try harness.send("GET", "/prod/me?q=1", [("X-A", "1")]).status == 200)
        let event = try #require(harness.calls.first?.event)
        #expect(event["type"] == "REQUEST")
        #expect(event["resource"] == "/me")
        #expect(event["path"] == "/me")
        #expect(event["headers"]?["X-A"] == "1")
        #expect(event["queryStringParameters"] == ["q": "1"])
        #expect(event["pathParameters"] == [:])
        #expect(event["requestContext"]?["resourcePath"] == "/me")
        #expect(event["body"] == nil)
    }

    @Test func `without caching identity sources are not required`() throws {
        let harness = try harness([
            "FunctionPayloadType": "REQUEST",
            "Identity": ["Headers": ["X-A"], "ReauthorizeEvery": 0],
        ])
        harness.reply("Guard", Self.policy("Allow"))
        #expect(try harness.send("GET", "/prod/me").status == 200)
    }

    @Test func `IAM authorises methods that require it`() throws {
        let harness = try GatewayHarness(
            SAMTemplates.rest([("GET", "/me")], event: ["Auth": ["Authorizer": "AWS_IAM"]]))
        let refused = try harness.send("GET", "/prod/me")
        #expect(refused.status == 403)
        #expect(refused.text == #"{"message":"Missing Authentication Token"}"#)
        harness.sign(as: sampleCaller)
        #expect(try harness.send("GET", "/prod/me").status == 200)
        #expect(
            try harness.event()["requestContext"]?["identity"]?["accessKey"] == "AKIDEXAMPLE")
    }
}

import BaseTestSupport
import EmulatorBase
import EmulatorGateway

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
        harness.reply("Guard", Self.policy("Allow", context: #"{"n":3,"b":true,"s":"x","z":null}"#))
        try expectEqual(harness.send("GET", "/prod/me", token).status, 200)
        expectEqual(
            harness.calls.first?.event,
            [
                "type": "TOKEN",
                "methodArn": .string(
                    "arn:aws:execute-api:us-east-1:123456789012:\(api)/prod/GET/me"),
                "authorizationToken": "t0k",
            ])
        try expectEqual(
            harness.event()["requestContext"]?["authorizer"],
            [
                "principalId": "u1", "n": "3", "b": "true", "s": "x", "z": .null,
                "integrationLatency": 0,
            ])
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
        expectEqual(response.status, 500)
        expectEqual(response.text, #"{"message":null}"#)
        expectEqual(response.header("x-amzn-errortype"), "AuthorizerConfigurationException")
    }

    @Test func `results are cached for five minutes by default`() throws {
        let harness = try harness()
        harness.reply("Guard", Self.policy("Allow"))
        for _ in 0..<3 { try harness.send("GET", "/prod/me", token) }
        try harness.send("GET", "/prod/other", token)
        expectEqual(harness.calls.count { $0.function == "Guard" }, 1)
        harness.advance(by: .seconds(300))
        try harness.send("GET", "/prod/me", token)
        expectEqual(harness.calls.count { $0.function == "Guard" }, 2)
    }

    @Test func `a token that does not match the pattern is not passed on`() throws {
        let harness = try harness([
            "Identity": ["Header": "X-Token", "ValidationExpression": "^t[0-9]+$"]
        ])
        harness.reply("Guard", Self.policy("Allow"))
        try expectEqual(harness.send("GET", "/prod/me", [("X-Token", "nope")]).status, 401)
        try expectEqual(harness.send("GET", "/prod/me", [("X-Token", "t1x")]).status, 401)
        #expect(harness.calls.isEmpty)
        try expectEqual(harness.send("GET", "/prod/me", [("x-token", "t12")]).status, 200)
    }

    @Test func `without caching identity sources are not required`() throws {
        let harness = try harness([
            "FunctionPayloadType": "REQUEST",
            "Identity": ["Headers": ["X-A"], "ReauthorizeEvery": 0],
        ])
        harness.reply("Guard", Self.policy("Allow"))
        try expectEqual(harness.send("GET", "/prod/me").status, 200)
    }

    @Test func `IAM authorises methods that require it`() throws {
        let harness = try GatewayHarness(
            SAMTemplates.rest([("GET", "/me")], event: ["Auth": ["Authorizer": "AWS_IAM"]]))
        let refused = try harness.send("GET", "/prod/me")
        expectEqual(refused.status, 403)
        expectEqual(refused.text, #"{"message":"Missing Authentication Token"}"#)
        harness.sign(as: sampleCaller)
        try expectEqual(harness.send("GET", "/prod/me").status, 200)
        try expectEqual(harness.event()["requestContext"]?["identity"]?["accessKey"], "AKIDEXAMPLE")
    }
}

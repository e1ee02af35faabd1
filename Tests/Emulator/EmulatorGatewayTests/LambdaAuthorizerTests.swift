import BaseTestSupport
import EmulatorBase
import EmulatorGateway

/// API Gateway Developer Guide, "Control access to HTTP APIs with AWS Lambda authorizers".
@Suite("LambdaAuthorizers") struct LambdaAuthorizerTests {
    private func harness(
        identity: JSONObject? = ["Headers": ["Authorization"], "ReauthorizeEvery": 0],
        isSimple: Bool = true, version: String = "2.0", stage: String = "$default"
    ) throws -> GatewayHarness {
        var authorizer: JSONObject = [
            "FunctionArn": ["Fn::GetAtt": ["Guard", "Arn"]],
            "AuthorizerPayloadFormatVersion": .string(version),
            "EnableSimpleResponses": .bool(isSimple),
        ]
        if let identity { authorizer["Identity"] = .object(identity) }
        let harness = try GatewayHarness(
            SAMTemplates.http(
                [("GET", "/me"), ("GET", "/other"), ("GET", "/a/{x}")],
                api: [
                    "StageName": .string(stage),
                    "Auth": [
                        "Authorizers": ["G": .object(authorizer)], "DefaultAuthorizer": "G",
                    ],
                ], more: ["Guard": SAMTemplates.function([:])]))
        harness.reply("Guard", #"{"isAuthorized":true}"#)
        return harness
    }

    private func count(_ harness: GatewayHarness, _ function: String) -> Int {
        harness.calls.count { $0.function == function }
    }

    private let token = [("Authorization", "Bearer eyJ")]

    @Test func `the documented example is reproduced`() throws {
        let harness = try harness(stage: "prod")
        let api = try #require(harness.template.apis.first).id
        try harness.send("GET", "/prod/me", token + [("Cookie", "sid=abc"), ("User-Agent", "c")])
        let event = try #require(harness.calls.first?.event.objectValue)
        expectEqual(event["version"], "2.0")
        expectEqual(event["type"], "REQUEST")
        expectEqual(
            event["routeArn"],
            .string("arn:aws:execute-api:us-east-1:123456789012:\(api)/prod/GET/me"))
        expectEqual(event["identitySource"], ["Bearer eyJ"])
        expectEqual(event["routeKey"], "GET /me")
        expectEqual(event["rawPath"], "/prod/me")
        expectEqual(event["rawQueryString"], "")
        expectEqual(event["cookies"], ["sid=abc"])
        expectEqual(event["headers"]?["authorization"], "Bearer eyJ")
        expectEqual(event["queryStringParameters"], [:])
        expectEqual(event["pathParameters"], [:])
        expectEqual(event["stageVariables"], [:])
        expectEqual(event["requestContext"]?["http"]?["path"], "/prod/me")
        expectEqual(event["requestContext"]?["authorizer"], nil)
        expectEqual(event["body"], nil)
        expectEqual(event["isBase64Encoded"], nil)
    }

    @Test(arguments: [[], [("Authorization", "")], [("X", "y")]])
    func `without identity sources the authorizer is not invoked`(headers: [(String, String)])
        throws
    {
        let harness = try harness()
        let response = try harness.send("GET", "/me", headers)
        expectEqual(response.status, 401)
        expectEqual(response.text, #"{"message":"Unauthorized"}"#)
        #expect(harness.calls.isEmpty)
    }

    @Test(arguments: [
        (#"{"isAuthorized":false}"#, 403, "Forbidden"),
        (#"{"isAuthorized":"true"}"#, 500, "Internal Server Error"),
        (#"{"isAuthorized":1}"#, 500, "Internal Server Error"),
        (#"{"isAuthorized":null}"#, 500, "Internal Server Error"),
        ("{}", 500, "Internal Server Error"), ("true", 500, "Internal Server Error"),
        ("", 500, "Internal Server Error"), ("{", 500, "Internal Server Error"),
        (#"{"isAuthorized":true,"context":[]}"#, 500, "Internal Server Error"),
        (
            #"{"principalId":"u","policyDocument":{"Statement":[{"Effect":"Allow","Action":"*","Resource":"*"}]}}"#,
            500, "Internal Server Error"
        ),
    ])
    func `only the boolean true authorizes`(reply: String, status: Int, message: String) throws {
        let harness = try harness()
        harness.reply("Guard", reply)
        let response = try harness.send("GET", "/me", token)
        expectEqual(response.status, status)
        expectEqual(response.text, #"{"message":"\#(message)"}"#)
        expectEqual(count(harness, "F"), 0)
    }

    @Test(arguments: [
        InvocationOutcome.failed(#"{"errorMessage":"Unauthorized"}"#.bytes), .timedOut,
        .throttled, .payloadTooLarge,
    ])
    func `a broken authorizer is an error of the server`(outcome: InvocationOutcome) throws {
        let harness = try harness()
        harness.reply("Guard", outcome)
        try expectEqual(harness.send("GET", "/me", token).status, 500)
        expectEqual(count(harness, "F"), 0)
    }

    @Test func `an authorizer that takes too long is an error of the server`() throws {
        let template = SAMTemplates.http(
            [("GET", "/me")],
            api: [
                "Auth": [
                    "Authorizers": [
                        "G": [
                            "FunctionArn": ["Fn::GetAtt": ["Guard", "Arn"]],
                            "AuthorizerPayloadFormatVersion": "2.0",
                            "EnableSimpleResponses": true,
                        ]
                    ], "DefaultAuthorizer": "G",
                ]
            ], more: ["Guard": SAMTemplates.function([:], ["Timeout": 30])])
        let harness = try GatewayHarness(template)
        harness.silence("Guard")
        let answer = harness.start(request("GET", "/me"))
        expectEqual(answer.response, nil)
        harness.fireTimers()
        expectEqual(answer.response?.status, 500)
    }

    @Test func `the context arrives unchanged`() throws {
        let harness = try harness()
        harness.reply(
            "Guard",
            #"{"isAuthorized":true,"context":{"userId":"u1","roles":["a"],"n":3,"o":{"x":null}}}"#)
        try harness.send("GET", "/me", token)
        try expectEqual(
            harness.event()["requestContext"]?["authorizer"],
            [
                "lambda": ["userId": "u1", "roles": ["a"], "n": 3, "o": ["x": .null]]
            ])
        harness.reply("Guard", #"{"isAuthorized":true,"context":{}}"#)
        try harness.send("GET", "/me", token)
        try expectEqual(harness.event()["requestContext"]?["authorizer"], nil)
    }

    @Test func `without caching the authorizer is invoked each time`() throws {
        let harness = try harness()
        for _ in 0..<3 { try harness.send("GET", "/me", token) }
        expectEqual(count(harness, "Guard"), 3)
    }

    @Test func `results, including refusals, are cached per identity until they expire`() throws {
        let harness = try harness(
            identity: [
                "Headers": ["Authorization"], "QueryStrings": ["q"], "ReauthorizeEvery": 60,
            ])
        for _ in 0..<3 {
            try expectEqual(harness.send("GET", "/me?q=1", token).status, 200)
        }
        try expectEqual(harness.send("GET", "/other?q=1", token).status, 200)
        expectEqual(count(harness, "Guard"), 1)
        harness.reply("Guard", #"{"isAuthorized":false}"#)
        try expectEqual(harness.send("GET", "/me?q=2", token).status, 403)
        harness.reply("Guard", #"{"isAuthorized":true}"#)
        try expectEqual(harness.send("GET", "/me?q=2", token).status, 403)
        expectEqual(count(harness, "Guard"), 2)
        harness.advance(by: .seconds(59))
        try expectEqual(harness.send("GET", "/me?q=2", token).status, 403)
        harness.advance(by: .seconds(1))
        try expectEqual(harness.send("GET", "/me?q=2", token).status, 200)
        expectEqual(count(harness, "Guard"), 3)
        try expectEqual(harness.send("GET", "/me", token).status, 401)
    }

    @Test func `failures are not cached`() throws {
        let harness = try harness(identity: ["Headers": ["Authorization"], "ReauthorizeEvery": 60])
        harness.reply("Guard", .timedOut)
        try expectEqual(harness.send("GET", "/me", token).status, 500)
        harness.reply("Guard", #"{"isAuthorized":true}"#)
        try expectEqual(harness.send("GET", "/me", token).status, 200)
    }

    @Test func `different identities have different cache keys`() throws {
        let harness = try harness(identity: ["Headers": ["a", "b"], "ReauthorizeEvery": 60])
        try harness.send("GET", "/me", [("a", "x,y"), ("b", "z")])
        try harness.send("GET", "/me", [("a", "x"), ("b", "y,z")])
        expectEqual(count(harness, "Guard"), 2)
    }

    @Test func `a cached policy is evaluated for every route`() throws {
        let harness = try harness(
            identity: ["Headers": ["Authorization"], "ReauthorizeEvery": 60], isSimple: false)
        let api = try #require(harness.template.apis.first).id
        harness.reply(
            "Guard",
            """
            {"principalId":"u1","policyDocument":{"Version":"2012-10-17","Statement":[
             {"Action":"execute-api:Invoke","Effect":"Allow",
              "Resource":"arn:aws:execute-api:*:*:\(api)/*/GET/me"}]},"context":{"k":1}}
            """)
        try expectEqual(harness.send("GET", "/me", token).status, 200)
        try expectEqual(harness.event()["requestContext"]?["authorizer"], ["lambda": ["k": 1]])
        try expectEqual(harness.send("GET", "/other", token).status, 403)
        try expectEqual(harness.send("GET", "/me", token).status, 200)
        expectEqual(count(harness, "Guard"), 1)
    }

    @Test(arguments: [
        (#"{"Effect":"Allow","Action":"*","Resource":"*"}"#, 200),
        (
            #"{"Effect":"Allow","Action":["x:y","EXECUTE-API:invoke"],"Resource":["b","arn:*/GET/a/b"]}"#,
            200
        ),
        (#"{"Effect":"Allow","Action":"execute-api:Inv*","Resource":"arn:*/GET/?/b"}"#, 200),
        (#"{"Effect":"Allow","Action":"execute-api:ManageConnections","Resource":"*"}"#, 403),
        (#"{"Effect":"Allow","Action":"*","Resource":"arn:*/POST/*"}"#, 403),
        (#"{"Effect":"Allow","Action":"*","Resource":"arn:*/GET/a"}"#, 403),
        (#"{"Effect":"Allow","NotAction":"execute-api:*","Resource":"*"}"#, 403),
        (#"{"Effect":"Allow","Action":"*","NotResource":"arn:*/GET/z/*"}"#, 200),
        (
            #"{"Effect":"Allow","Action":"*","Resource":"*","Condition":{"IpAddress":{"aws:SourceIp":"1.2.3.4"}}}"#,
            403
        ),
        (
            #"{"Effect":"Allow","Action":"*","Resource":"*"},{"Effect":"Deny","Action":"*","Resource":"arn:*/a/b"}"#,
            403
        ),
        (
            #"{"Effect":"Allow","Action":"*","Resource":"*"},{"Effect":"Deny","Action":"*","Resource":"arn:*/z"}"#,
            200
        ),
        ("", 403), (#"{"Effect":"allow","Action":"*","Resource":"*"}"#, 500),
        (#"{"Effect":"Allow","Resource":"*"}"#, 500), (#"{"Effect":"Allow","Action":"*"}"#, 500),
        (#"{"Effect":"Allow","Action":[1],"Resource":"*"}"#, 500), ("3", 500),
    ])
    func `policies are evaluated`(statements: String, status: Int) throws {
        let harness = try harness(isSimple: false)
        harness.reply(
            "Guard", #"{"principalId":"u","policyDocument":{"Statement":[\#(statements)]}}"#)
        try expectEqual(harness.send("GET", "/a/b", token).status, status)
    }

    @Test func `an encoded path is not matched as another path`() throws {
        let harness = try harness(isSimple: false)
        harness.reply(
            "Guard",
            #"{"principalId":"u","policyDocument":{"Statement":{"Effect":"Allow","Action":"*","Resource":"arn:*/GET/a/b"}}}"#
        )
        try expectEqual(harness.send("GET", "/a/%62", token).status, 200)
        try expectEqual(harness.send("GET", "/a/%2562", token).status, 403)
    }

    @Test func `payload 1.0 uses the old event format and returns a policy`() throws {
        let harness = try harness(isSimple: false, version: "1.0")
        harness.reply(
            "Guard",
            #"{"principalId":"u","policyDocument":{"Statement":[{"Effect":"Allow","Action":"*","Resource":"*"}]}}"#
        )
        try expectEqual(harness.send("GET", "/me", token).status, 200)
        let event = try #require(harness.calls.first?.event)
        expectEqual(event["version"], "1.0")
        expectEqual(event["type"], "REQUEST")
        expectEqual(event["identitySource"], "Bearer eyJ")
        expectEqual(event["methodArn"]?.stringValue?.hasSuffix("/$default/GET/me"), true)
    }

    @Test func `an undefined authorizer rejects every request`() throws {
        let harness = try GatewayHarness(
            SAMTemplates.http([("GET", "/me")], event: ["Auth": ["Authorizer": "Nobody"]]))
        try expectEqual(harness.send("GET", "/me", token).status, 500)
        #expect(harness.calls.isEmpty)
        #expect(harness.template.warnings.contains { $0.reason.contains("Nobody") })
    }

    @Test func `a route may disable the default authorizer`() throws {
        let harness = try GatewayHarness(
            SAMTemplates.http(
                [("GET", "/open")],
                api: [
                    "Auth": [
                        "Authorizers": [
                            "G": [
                                "FunctionArn": ["Fn::GetAtt": ["F", "Arn"]],
                                "AuthorizerPayloadFormatVersion": "2.0",
                            ]
                        ], "DefaultAuthorizer": "G",
                    ]
                ], event: ["Auth": ["Authorizer": "NONE"]]))
        try expectEqual(harness.send("GET", "/open").status, 200)
        expectEqual(harness.calls.count, 1)
    }
}

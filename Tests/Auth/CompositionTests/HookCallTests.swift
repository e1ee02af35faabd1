import BaseTestSupport

/// A function that asks hooks over a fake network.
@Suite("Calls of hooks") struct HookCallTests {
    private static let key = Array("0123456789abcdef0123456789".utf8)
    private static let settings = [
        "STORE": "memory:", "ISSUER": "https://auth.example.com",
        "MASTER_KEY": String(repeating: "6b", count: 32),
        "HOOKS": "beforeSignIn=https://example.com/hook",
        "HOOK_SECRET": "whsec_" + Base64.encode(key),
    ]

    private static func settings(_ changes: [String: String]) -> [String: String] {
        settings.merging(changes) { $1 }
    }

    private static let function: [String: String] = settings([
        "HOOKS": "beforeSignIn=function:arn:aws:lambda:eu-central-1:123456789012:function:check",
        "AWS_REGION": "eu-central-1", "AWS_ACCESS_KEY_ID": "AKIDEXAMPLE",
        "AWS_SECRET_ACCESS_KEY": "secret",
    ])

    private static func deployment(
        _ body: String = #"{"decision":"allow"}"#, status: Int = 200,
        headers: [HTTPHeader] = []
    ) throws -> TestDeployment {
        try TestDeployment { _ throws(HTTPFailure) in
            HTTPResponse(status: status, headers: headers, body: Array(body.utf8))
        }
    }

    private static func guest(
        _ deployment: TestDeployment, _ settings: [String: String]
    ) throws -> Reply {
        let handler = try deployment.handler(settings, of: "guest")
        return try #require(deployment.post(handler, "/auth/guest", "{}"))
    }

    @Test func `a URL gets the event with a signature of Standard Webhooks`() throws {
        let deployment = try Self.deployment()
        try expectEqual(Self.guest(deployment, Self.settings).status, 201)
        let request = try #require(deployment.requests.withLock { $0.first })
        #expect(request.url == "https://example.com/hook" && request.method == .post)
        let id = try #require(request.headers.value("webhook-id"))
        let time = try #require(request.headers.value("webhook-timestamp"))
        let signed = Array("\(id).\(time).".utf8) + request.body
        let code = Base64.encode(HMAC.sha256(signed, key: SecretBytes(Self.key)))
        expectEqual(request.headers.value("webhook-signature"), "v1,\(code)")
        let event = try JSON.parse(request.body, limits: .request)
        #expect(event["id"]?.stringValue == id && event["hook"] == "beforeSignIn")
        expectEqual(event["time"]?.int64Value, Int64(time))
    }

    @Test func `a function is invoked by a signed request`() throws {
        let deployment = try Self.deployment()
        try expectEqual(Self.guest(deployment, Self.function).status, 201)
        let request = try #require(deployment.requests.withLock { $0.first })
        expectEqual(
            request.url,
            "https://lambda.eu-central-1.amazonaws.com/2015-03-31/functions/"
                + "arn%3Aaws%3Alambda%3Aeu-central-1%3A123456789012%3Afunction%3Acheck/invocations")
        expectEqual(request.headers.value("x-amz-invocation-type"), "RequestResponse")
        let signature = try #require(request.headers.value("authorization"))
        #expect(signature.contains("/eu-central-1/lambda/aws4_request"))
        expectEqual(request.headers.value("webhook-signature"), nil)
    }

    @Test(arguments: [settings, function])
    func `a refusal reaches the client with its reason`(_ settings: [String: String]) throws {
        let deployment = try Self.deployment(#"{"decision":"refuse","reason":"blocked_region"}"#)
        let reply = try Self.guest(deployment, settings)
        expectEqual(reply.status, 403)
        let lines = deployment.lines.withLock { $0 }
        #expect(lines.contains { $0.contains("hook.refused.beforeSignIn") })
    }

    @Test(arguments: [201, 204, 301, 302, 307, 400, 401, 403, 429, 500, 503])
    func `a status other than 200 is a failure of the hook`(_ status: Int) throws {
        let elsewhere = [HTTPHeader("location", "https://example.com/other")]
        for settings in [Self.settings, Self.function] {
            let deployment = try Self.deployment(status: status, headers: elsewhere)
            let reply = try Self.guest(deployment, settings)
            expectEqual(reply.status, 503)
            let urls = deployment.requests.withLock { Set($0.map(\.url)) }
            expectEqual(urls.count, 1)
            let lines = deployment.lines.withLock { $0 }
            #expect(lines.contains { $0.contains(#""reason":"failed""#) })
            #expect(!lines.contains { $0.contains("example.com/hook") })
        }
    }

    @Test func `a function that ends with an error is a failure of the hook`() throws {
        let deployment = try Self.deployment(
            headers: [HTTPHeader("x-amz-function-error", "Unhandled")])
        try expectEqual(Self.guest(deployment, Self.function).status, 503)
    }

    @Test(arguments: [
        HTTPFailure.timedOut, .responseTooLarge, .connectFailed(detail: ""),
        .interrupted(detail: ""),
    ])
    func `a hook without an answer refuses sign-ins, unless its failure allows them`(
        _ failure: HTTPFailure
    ) throws {
        for settings in [Self.settings, Self.function] {
            let deployment = try TestDeployment { _ throws(HTTPFailure) in throw failure }
            let reply = try Self.guest(deployment, settings)
            expectEqual(reply.status, 503)
            #expect(reply.headers.contains { $0.name == "retry-after" })
            let open = settings.merging([
                "HOOKS": try #require(settings["HOOKS"])
                    .replacing("beforeSignIn=", with: "beforeSignIn?=")
            ]) { $1 }
            try expectEqual(Self.guest(deployment, open).status, 201)
        }
    }

    @Test func `settings are checked at the start`() throws {
        let deployment = try Self.deployment()
        let problems: [([String: String], String)] = [
            (["HOOK_SECRET": ""], "HOOK_SECRET is required, because HOOKS names a URL"),
            (["HOOK_SECRET": "secret"], "HOOK_SECRET must be whsec_ and 24 to 64 bytes in base64"),
            (
                ["HOOK_SECRET": "whsec_" + Base64.encode([1, 2, 3])],
                "HOOK_SECRET must be whsec_ and 24 to 64 bytes in base64"
            ),
            (
                ["HOOK_MILLISECONDS_MAX": "5001"],
                "HOOK_MILLISECONDS_MAX must be a whole number from 100 to 5000"
            ),
            (["HOOKS": "beforeSignIn=function:check"], "AWS_REGION is required"),
            (
                ["HOOKS": "beforeSignIn=process:/nonexistent"],
                "HOOKS: the program of beforeSignIn, /nonexistent, does not exist"
            ),
            (["HOOKS": "nothing"], "HOOKS, entry 1: must be <hook>=<target>"),
        ]
        for (changes, problem) in problems {
            let found = deployment.problems(Self.settings(changes), of: "guest")
            expectEqual(found, [problem])
        }
    }

    @Test func `other contracts call no hooks`() throws {
        let deployment = try Self.deployment(#"{"decision":"refuse"}"#)
        let settings = Self.settings([
            "CONTRACT": "shell", "JWT_SECRET": String(repeating: "s", count: 40),
        ])
        let handler = try deployment.handler(settings, of: "register")
        let body =
            #"{"email":"user@example.com","password":"Secret-1234","#
            + #""confirmPassword":"Secret-1234"}"#
        let reply = try #require(deployment.post(handler, "/auth/register", body))
        #expect(reply.status == 201 || reply.status == 200)
        #expect(deployment.requests.withLock { $0.isEmpty })
    }
}

import AuthComposition
import AuthTestSupport
import Contracts
import FunctionRuntime
import TestSupport

/// An application's function that verifies requests itself.
@Suite("Content functions") struct ContentFunctionTests {
    private static let content: [Endpoint] = [
        .signedIn(AuthOperation("greeting"), .get("/greeting")) { _, principal, _ in
            Answer(["user": .string(principal.user.id.text)])
        }
    ]

    /// A sign-in function, the content function and `me`, with the same store and clock.
    private struct Application {
        let clock = TestClock()
        let deployment: TestDeployment
        let provider: SigningKey
        private let settings: [String: String]

        init(_ more: [String: String] = [:]) throws {
            deployment = try TestDeployment()
            provider = try SigningKey.generate(.es256, random: .seeded(7))
            let keys: JSON = ["keys": .array([.object(try #require(provider.publicJWK))])]
            settings = [
                "STORE": "sqlite:\(deployment.path("store.db"))",
                "ISSUER": "https://auth.example.com", "OIDC_PROVIDERS": "acme",
                "MASTER_KEY": String(repeating: "k", count: 40),
                "OIDC_ACME_ISSUER": "https://id.example.com", "OIDC_ACME_CLIENT_IDS": "acme-app",
                "OIDC_ACME_JWKS_FILE": try deployment.write("jwks.json", keys.text),
            ].merging(more) { $1 }
        }

        private var assembly: Assembly {
            deployment.assembly(settings, seed: UInt64(clock.now.milliseconds), clock: clock)
        }

        func function(_ name: String) throws -> Handler {
            try LatchkeyFunction.handler(of: name, assembly, deployment.log)
        }

        func content() throws -> Handler {
            try LatchkeyFunction.handler(
                content: ContentFunctionTests.content, assembly, deployment.log)
        }

        func signIn() throws -> JSON {
            let now = clock.now.seconds
            let token = try JWT.sign(
                [
                    "iss": "https://id.example.com", "aud": "acme-app", "sub": "ada",
                    "iat": .number(now), "exp": .number(now + 300),
                ], with: provider, type: "JWT", includesKeyID: true)
            let body: JSON = ["provider": "acme", "idToken": .string(token)]
            let reply = try #require(
                deployment.post(try function("signin"), "/auth/signin", body.text))
            guard case .json(let json)? = reply.body, reply.status == 200 else {
                throw Unexpected(reply: "\(reply)")
            }
            return json
        }

        func get(_ handler: Handler, _ path: String, bearer: String?) throws -> Reply {
            guard case .request(let serve) = handler.kind else {
                throw Unexpected(reply: "an event")
            }
            let headers = bearer.map { [HTTPHeader("authorization", "Bearer \($0)")] } ?? []
            return serve(Request(method: "GET", path: path, headers: headers, requestID: "1"))
        }
    }

    private struct Unexpected: Error { let reply: String }

    @Test func `a valid token is accepted and identifies its user`() throws {
        let application = try Application()
        let session = try application.signIn()
        let reply = try application.get(
            application.content(), "/greeting", bearer: session["accessToken"]?.stringValue)
        expectEqual(reply.status, 200)
        expectEqual(reply.body, .json(["user": try #require(session["user"]?["id"])]))
    }

    @Test func `an expired, malformed, missing or revoked token gets the same response as from me`()
        throws
    {
        let application = try Application()
        let content = try application.content()
        let me = try application.function("me")
        let token = try #require(try application.signIn()["accessToken"]?.stringValue)
        func check(_ bearer: String?, _ what: Comment) throws {
            let refused = try application.get(content, "/greeting", bearer: bearer)
            let expected = try application.get(me, "/auth/me", bearer: bearer)
            expectEqual(refused.status, 401, what)
            expectEqual(refused.body, expected.body, what)
            let challenge = refused.headers.first { $0.name == "www-authenticate" }
            expectEqual(challenge?.value.hasPrefix("Bearer"), true, what)
            #expect(refused.headers.elementsEqual(expected.headers) { $0 == $1 }, what)
        }
        try check(nil, "missing")
        try check("junk", "malformed")
        application.clock.advance(by: .minutes(16))
        try check(token, "expired")
        let fresh = try #require(try application.signIn()["accessToken"]?.stringValue)
        try expectEqual(application.get(content, "/greeting", bearer: fresh).status, 200)
        guard case .request(let signOut) = try application.function("signout").kind else { return }
        let left = signOut(
            Request(
                method: "POST", path: "/auth/signout",
                headers: [HTTPHeader("authorization", "Bearer \(fresh)")], requestID: "1"))
        expectEqual(left.status, 200)
        try check(fresh, "revoked")
    }

    @Test func `errors have the format of the configured contract`() throws {
        let application = try Application(["CONTRACT": "whateat"])
        let refused = try application.get(application.content(), "/greeting", bearer: "junk")
        expectEqual(refused.status, 401)
        guard case .json(let body)? = refused.body else {
            Issue.record("\(refused)")
            return
        }
        // A string here, an object in latchkey.
        #expect(body["error"]?.stringValue != nil, "\(body.text)")
    }

    /// So a stolen content function cannot sign tokens.
    @Test func `a content function needs no master key if tokens have public keys`() throws {
        let deployment = try TestDeployment()
        let settings = [
            "STORE": "dynamodb:table", "ISSUER": "https://auth.example.com",
            "AWS_REGION": "eu-central-1", "AWS_ACCESS_KEY_ID": "a", "AWS_SECRET_ACCESS_KEY": "b",
        ]
        func problems(_ contract: String) -> [String] {
            do {
                let all = settings.merging(["CONTRACT": contract]) { $1 }
                _ = try LatchkeyFunction.handler(
                    content: Self.content, deployment.assembly(all), deployment.log)
                return []
            } catch {
                return error.problems
            }
        }
        expectEqual(problems("latchkey"), [])
        expectEqual(problems("whateat"), ["MASTER_KEY is required with a DynamoDB store"])
    }

    @Test func `an unknown route is not found`() throws {
        let application = try Application()
        let content = try application.content()
        try expectEqual(application.get(content, "/auth/me", bearer: nil).status, 404)
        #expect(throws: StartFailure.self) {
            try LatchkeyFunction.handler(
                content: [], application.deployment.assembly(["STORE": "memory:"]),
                application.deployment.log)
        }
    }
}

import AuthComposition
import AuthDomain
import AuthOperations
import AuthTestSupport
import Contracts
import Cryptography
import FunctionRuntime
import HTTP
import JOSE
import JSON
import Testing
import Time

/// A function of an application that verifies its requests itself.
@Suite("Content functions") struct ContentFunctionTests {
    private static let content: [Endpoint] = [
        .signedIn(AuthOperation("greeting"), .get("/greeting")) { _, principal, _ in
            Answer(["user": .string(principal.user.id.text)])
        }
    ]

    /// A sign-in function, the content function and `me` on one store, and a clock for all of them.
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

    @Test func `a good token passes, with the user it is for`() throws {
        let application = try Application()
        let session = try application.signIn()
        let reply = try application.get(
            application.content(), "/greeting", bearer: session["accessToken"]?.stringValue)
        #expect(reply.status == 200)
        #expect(reply.body == .json(["user": try #require(session["user"]?["id"])]))
    }

    @Test func `an expired, malformed, missing or revoked token is answered as by me`() throws {
        let application = try Application()
        let content = try application.content()
        let me = try application.function("me")
        let token = try #require(try application.signIn()["accessToken"]?.stringValue)
        func check(_ bearer: String?, _ what: Comment) throws {
            let refused = try application.get(content, "/greeting", bearer: bearer)
            let expected = try application.get(me, "/auth/me", bearer: bearer)
            #expect(refused.status == 401, what)
            #expect(refused.body == expected.body, what)
            let challenge = refused.headers.first { $0.name == "www-authenticate" }
            #expect(challenge?.value.hasPrefix("Bearer") == true, what)
            #expect(refused.headers.elementsEqual(expected.headers) { $0 == $1 }, what)
        }
        try check(nil, "missing")
        try check("junk", "malformed")
        application.clock.advance(by: .minutes(16))
        try check(token, "expired")
        let fresh = try #require(try application.signIn()["accessToken"]?.stringValue)
        #expect(try application.get(content, "/greeting", bearer: fresh).status == 200)
        guard case .request(let signOut) = try application.function("signout").kind else { return }
        let left = signOut(
            Request(
                method: "POST", path: "/auth/signout",
                headers: [HTTPHeader("authorization", "Bearer \(fresh)")], requestID: "1"))
        #expect(left.status == 200)
        try check(fresh, "revoked")
    }

    @Test func `it answers in the form of the configured contract`() throws {
        let application = try Application(["CONTRACT": "whateat"])
        let refused = try application.get(
            application.content(), "/greeting", bearer: "junk")
        #expect(refused.status == 401)
        guard case .json(let body)? = refused.body else {
            Issue.record("\(refused)")
            return
        }
        // Flat, where latchkey has an object.
        #expect(body["error"]?.stringValue != nil, "\(body.text)")
    }

    /// A stolen content function cannot sign tokens.
    @Test func `it needs no master key where tokens have public keys`() throws {
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
        #expect(problems("latchkey") == [])
        #expect(problems("whateat") == ["MASTER_KEY is required with a DynamoDB store"])
    }

    @Test func `a route that it does not have is not found`() throws {
        let application = try Application()
        let content = try application.content()
        #expect(try application.get(content, "/auth/me", bearer: nil).status == 404)
        #expect(throws: StartFailure.self) {
            try LatchkeyFunction.handler(
                content: [], application.deployment.assembly(["STORE": "memory:"]),
                application.deployment.log)
        }
    }
}

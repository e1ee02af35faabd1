import BaseTestSupport
import Foundation

/// The built functions with a Runtime API.
@Suite("Functions behind the Runtime API", .serialized, .hangLimit)
struct LambdaTests {
    @Test func `one process handles two invocations and keeps its state`() throws {
        let deployment = try Deployment().with("CONTRACT", "latchkey")
        let signIn = Deployment.event("signin", try deployment.signInBody(of: "ada"))
        let lambda = try Lambda(
            "signin", in: deployment, store: "memory:",
            events: [("one", signIn.serialized), ("two", signIn.serialized)])
        defer { lambda.end() }

        let posts = try lambda.posts(2)
        expectEqual(posts.map(\.kind), [.response, .response])
        expectEqual(posts.map(\.requestID), ["one", "two"])
        let answers = try posts.map { try JSON.parse($0.request.body, limits: .event) }
        expectEqual(answers.map { $0["statusCode"] }, [200, 401])
        // The consumed token is in memory, so it is the same process.
        expectEqual(answers[1]["body"]?.stringValue?.contains("AUTH_FAILED"), true)
        #expect(lambda.process.isRunning)
    }

    @Test func `a base64 body with non-ASCII text is preserved`() throws {
        let deployment = try Deployment()
        let name = "Åsa 𝄞 李 \u{1F469}\u{200D}\u{1F680}"
        var body = try #require(try deployment.signInBody(of: "ada").objectValue)
        body["fullName"] = ["givenName": .string(name)]
        var event = try #require(Deployment.event("signin", .object(body)).objectValue)
        event["body"] = .string(Base64.encode(JSON.object(body).serialized))
        event["isBase64Encoded"] = true
        let lambda = try Lambda("signin", in: deployment, events: [("one", event.serialized)])
        defer { lambda.end() }

        let document = try JSON.parse(try lambda.posts(1)[0].request.body, limits: .event)
        let text = try #require(document["body"]?.stringValue)
        let answer = try JSON.parse(Array(text.utf8), limits: .event)
        expectEqual(answer["user"]?["displayName"]?.stringValue, name)
    }

    @Test
    func `an invalid configuration is posted before the first invocation, and the process ends`()
        throws
    {
        let deployment = try Deployment([("CONTRACT", "no-such"), ("TRUSTED_HOPS", "many")])
        let lambda = try Lambda("challenge", in: deployment, events: [("one", [])])
        defer { lambda.end() }

        let result = lambda.process.wait()
        expectEqual(result.end, .exit(1))
        let posts = lambda.server.posts
        expectEqual(posts.map(\.kind), [.initError])
        let post = try #require(posts.first)
        expectEqual(
            post.request.header("lambda-runtime-function-error-type"), "Runtime.ConfigInvalid")
        let failure = try JSON.parse(post.request.body, limits: .event)
        expectEqual(failure["errorType"], "Runtime.ConfigInvalid")
        let message = try #require(failure["errorMessage"]?.stringValue)
        // All errors at once, each with its rule.
        #expect(message.contains("CONTRACT must be one of"))
        #expect(message.contains("TRUSTED_HOPS must be a whole number"))
        #expect(result.output.isEmpty)
    }

    @Test func `an unreadable event fails its invocation, and the next one succeeds`() throws {
        let lambda = try Lambda(
            "challenge", in: try Deployment(),
            events: [
                ("bad", Array("{".utf8)), ("worse", [0xFF, 0xFE]),
                ("good", Deployment.event("challenge", [:]).serialized),
            ])
        defer { lambda.end() }

        let posts = try lambda.posts(3)
        expectEqual(posts.map(\.kind), [.error, .error, .response])
        expectEqual(posts.map(\.requestID), ["bad", "worse", "good"])
        for post in posts.prefix(2) {
            expectEqual(
                post.request.header("lambda-runtime-function-error-type"), "Function.MalformedEvent"
            )
            let failure = try JSON.parse(post.request.body, limits: .event)
            expectEqual(failure["errorType"], "Function.MalformedEvent")
            expectEqual(failure["errorMessage"]?.stringValue?.isEmpty, false)
            expectEqual(failure["stackTrace"], [])
        }
        #expect(lambda.process.isRunning)
    }

    @Test func `an invocation after its deadline gets a response too`() throws {
        let server = try RuntimeAPIServer(events: [
            RuntimeAPIEvent(requestID: "late", body: Array("{}".utf8), deadlineMilliseconds: 1)
        ])
        let lambda = try Lambda("challenge", in: try Deployment(), server: server)
        defer { lambda.end() }
        try expectEqual(lambda.posts(1).map(\.kind), [.response])
    }

    @Test func `SIGTERM ends an idle process`() throws {
        let lambda = try Lambda(
            "challenge", in: try Deployment(),
            events: [("one", Deployment.event("challenge", [:]).serialized)])
        defer { lambda.end() }
        _ = try lambda.posts(1)
        lambda.process.kill(SIGTERM)
        expectEqual(lambda.process.wait().end, .signal(SIGTERM))
    }

    @Test func `the process ends if its server disappears`() throws {
        let lambda = try Lambda(
            "challenge", in: try Deployment(),
            events: [("one", Deployment.event("challenge", [:]).serialized)])
        _ = try lambda.posts(1)
        lambda.server.stop()
        let result = lambda.process.wait()
        expectEqual(result.end, .exit(1))
        #expect(result.errorText.contains(#""event":"runtime_api_next_failed""#))
    }

    @Test func `the process ends without a server`() throws {
        let server = try RuntimeAPIServer()
        server.stop()
        let lambda = try Lambda("challenge", in: try Deployment(), server: server)
        expectEqual(lambda.process.wait().end, .exit(1))
    }

    @Test func `the log contains the request id`() throws {
        let lambda = try Lambda(
            "challenge", in: try Deployment(),
            events: ["one", "two"].map { ($0, Array("{}".utf8)) })
        _ = try lambda.posts(2)
        lambda.end()
        let lines = try lambda.process.wait().errorLines.map {
            try JSON.parse(Array($0.utf8), limits: .request)
        }
        let answered = lines.filter { $0["event"] == "answered" }
        expectEqual(answered.map { $0["requestId"] }, ["one", "two"])
    }
}

/// One function and its Runtime API.
struct Lambda {
    let server: RuntimeAPIServer
    let process: ChildProcess

    init(
        _ function: String, in deployment: Deployment, store: String? = nil,
        events: [(id: String, body: [UInt8])]
    ) throws {
        let server = try RuntimeAPIServer(
            events: events.map { RuntimeAPIEvent(requestID: $0.id, body: $0.body) })
        try self.init(function, in: deployment, store: store, server: server)
    }

    init(
        _ function: String, in deployment: Deployment, store: String? = nil,
        server: RuntimeAPIServer
    ) throws {
        self.server = server
        var command = deployment.eventless(function)
        if let store {
            command.environment.removeAll { $0.name == "STORE" }
            command.environment.append(("STORE", store))
        }
        command.environment.append(("AWS_LAMBDA_RUNTIME_API", server.authority))
        process = try ChildProcess(command)
    }

    /// The function's posts, after waiting for `count` of them. Throws if it ends before.
    func posts(_ count: Int) throws -> [RuntimeAPIPost] {
        let arrived = process.waits { server.posts.count >= count }
        try #require(arrived, "\(server.posts.count) posts of \(count)")
        return server.posts
    }

    func end() {
        process.kill(SIGKILL)
        _ = process.wait()
        server.stop()
    }
}

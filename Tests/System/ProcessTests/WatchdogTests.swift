import BaseTestSupport

/// The built functions under OpenFaaS watchdogs, with the environments that these set.
@Suite("Functions under a watchdog", .serialized, .hangLimit)
struct WatchdogTests {
    @Test func `the classic watchdog passes the request and returns only the body`() throws {
        let deployment = try Deployment()
        let result = try run("challenge", "/auth/challenge", "{}", in: deployment)
        expectEqual(result.end, .exit(0))
        let body = try JSON.parse(result.output, limits: .event)
        #expect(body["nonce"]?.stringValue != nil)
        // It adds stderr to the response.
        #expect(result.errorOutput.isEmpty)
    }

    /// OpenFaaS' gateway has a path for each function, and forwards the rest of the path.
    @Test func `the path / runs the only operation of a function`() throws {
        let deployment = try Deployment()
        let result = try run("challenge", "/", "{}", in: deployment)
        #expect(try JSON.parse(result.output, limits: .event)["nonce"]?.stringValue != nil)
        // It has two documents, and neither is the default.
        let keys = try run("keys", "/", "", method: "GET", in: deployment)
        try expectEqual(JSON.parse(keys.output, limits: .event)["error"]?["code"], "NOT_FOUND")
    }

    @Test func `an error is only in the body, and the exit status is 0`() throws {
        let result = try run("refresh", "/auth/refresh", "{}", in: try Deployment())
        expectEqual(result.end, .exit(0))
        let body = try JSON.parse(result.output, limits: .event)
        expectEqual(body["error"]?["code"], "MISSING_REFRESH_TOKEN")
    }

    @Test func `a reply document has the status and the headers`() throws {
        let deployment = try Deployment([("OPENFAAS_REPLY", "document")])
        let result = try run("refresh", "/auth/refresh", "{}", in: deployment)
        expectEqual(result.end, .exit(0))
        let document = try JSON.parse(result.output, limits: .event)
        expectEqual(document["statusCode"], 400)
        expectEqual(document["headers"]?["content-type"], "application/json")
        let body = try #require(document["body"]?.stringValue)
        #expect(body.contains("MISSING_REFRESH_TOKEN"))
    }

    /// The document has all headers that a browser requires.
    @Test func `with OPENFAAS_REPLY=document, a browser's preflight is answered`() throws {
        let app = "https://app.example.com"
        let deployment = try Deployment([("OPENFAAS_REPLY", "document"), ("ALLOWED_ORIGINS", app)])
        let result = try run(
            "challenge", "/", "", method: "OPTIONS", in: deployment,
            adding: [("Http_Origin", app), ("Http_Access_Control_Request_Method", "POST")])
        let document = try JSON.parse(result.output, limits: .event)
        expectEqual(document["statusCode"], 204)
        expectEqual(document["headers"]?["access-control-allow-origin"]?.stringValue, app)
        expectEqual(document["headers"]?["access-control-allow-methods"], "POST")
    }

    @Test func `a bearer token is read from its header`() throws {
        let deployment = try Deployment()
        let signIn = try run(
            "signin", "/auth/signin", try deployment.signInBody(of: "ada").text,
            in: deployment)
        let session = try JSON.parse(signIn.output, limits: .event)
        let token = try #require(session["accessToken"]?.stringValue)
        let me = try run(
            "me", "/auth/me", "", method: "GET", in: deployment,
            adding: [("Http_Authorization", "Bearer \(token)")])
        let profile = try JSON.parse(me.output, limits: .event)
        expectEqual(profile["id"], session["user"]?["id"])
    }

    @Test(arguments: [
        ("GET", "/auth/challenge", "METHOD_NOT_ALLOWED"), ("POST", "/auth/other", "NOT_FOUND"),
        ("GET", "/", "METHOD_NOT_ALLOWED"),
    ])
    func `an unknown path or method is refused`(method: String, path: String, code: String) throws {
        let result = try run("challenge", path, "{}", method: method, in: try Deployment())
        expectEqual(result.end, .exit(0))
        let body = try JSON.parse(result.output, limits: .event)
        expectEqual(body["error"]?["code"]?.stringValue, code)
    }

    @Test func `a chunked request is read to its end, whatever its length`() throws {
        let result = try run(
            "challenge", "/auth/challenge", "{}", in: try Deployment(), length: "-1",
            adding: [("Http_Transfer_Encoding", "chunked")])
        #expect(try JSON.parse(result.output, limits: .event)["nonce"]?.stringValue != nil)
    }

    @Test func `a body over the limit is refused and does not fail the function`() throws {
        // The watchdog keeps writing: without a reader it would not forward the response.
        let body = String(repeating: " ", count: 16 << 20)
        let result = try run("challenge", "/auth/challenge", body, in: try Deployment())
        expectEqual(result.end, .exit(0))
        let answer = try JSON.parse(result.output, limits: .event)
        expectEqual(answer["error"]?["code"], "REQUEST_TOO_LARGE")
    }

    @Test func `an invalid configuration exits with 1`() throws {
        let deployment = try Deployment([("OPENFAAS_REPLY", "all"), ("combine_output", "false")])
        expectStartFailure(
            try run("challenge", "/auth/challenge", "{}", in: deployment),
            saying: "OPENFAAS_REPLY must be body or document")
    }

    @Test func `an invalid configuration is reported as a document if that is configured`() throws {
        let deployment = try Deployment([("OPENFAAS_REPLY", "document"), ("TRUSTED_HOPS", "x")])
        let result = try run("challenge", "/auth/challenge", "{}", in: deployment)
        expectEqual(result.end, .exit(1))
        let document = try JSON.parse(result.output, limits: .event)
        expectEqual(document["statusCode"], 500)
        expectEqual(document["body"]?.stringValue?.contains("errorType"), true)
    }

    /// Its forking modes set neither `Http_Host` nor `Http_ContentLength`, and keep stderr
    /// separate.
    @Test func `the of-watchdog sets fewer variables, and logging is on`() throws {
        let deployment = try Deployment()
        var command = deployment.eventless("challenge")
        command.input = .bytes(Array("{}".utf8))
        command.environment += [
            ("Http_Method", "POST"), ("Http_Path", "/auth/challenge"),
            ("Http_Content_Type", "application/json"), ("Http_X_Call_Id", "call-7"),
        ]
        let result = try ChildProcess.run(command)
        #expect(try JSON.parse(result.output, limits: .event)["nonce"]?.stringValue != nil)
        let lines = try result.errorLines.map {
            try JSON.parse(Array($0.utf8), limits: .request)
        }
        expectEqual(lines.map { $0["event"] }, ["answered"])
        expectEqual(lines.map { $0["requestId"] }, ["call-7"])
    }

    private func run(
        _ function: String, _ path: String, _ body: String, method: String = "POST",
        in deployment: Deployment, length: String? = nil,
        adding variables: [(name: String, value: String)] = []
    ) throws -> ProcessResult {
        var command = deployment.eventless(function)
        command.input = .bytes(Array(body.utf8))
        let length = length ?? String(body.utf8.count)
        command.environment +=
            [
                ("fprocess", command.path), ("Http_Method", method), ("Http_Path", path),
                ("Http_Host", "127.0.0.1:8080"), ("Http_ContentLength", length),
                ("Http_Content_Length", length), ("Http_Content_Type", "application/json"),
                ("Http_User_Agent", "curl/8.0"),
            ] + variables
        return try ChildProcess.run(command)
    }
}

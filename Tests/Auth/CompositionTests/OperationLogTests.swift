import AuthTestSupport

/// The contents of a request's log line.
@Suite("Log of operations") struct OperationLogTests {
    @Test func `a sign-in's log line has its provider and its duration`() throws {
        let clock = TestClock()
        let deployment = try TestDeployment { _ throws(HTTPFailure) in
            clock.advance(by: .milliseconds(40))
            throw .connectFailed(detail: "there is no network here")
        }
        let settings = [
            "CONTRACT": "photolala", "STORE": "sqlite:\(deployment.path("latchkey.db"))",
            "GOOGLE_CLIENT_IDS": "client.apps.googleusercontent.com",
            "APPLE_CLIENT_IDS": "com.example.app", "STORAGE_BUCKET": "photos",
            "STORAGE_ROLE_ARN": "arn:aws:iam::123456789012:role/uploads",
            "AWS_REGION": "eu-central-1", "AWS_ACCESS_KEY_ID": "AKIAIOSFODNN7EXAMPLE",
            "AWS_SECRET_ACCESS_KEY": "secret",
        ]
        let handler = try LatchkeyFunction.handler(
            of: "signin", deployment.assembly(settings, clock: clock), deployment.log)
        // {"alg":"RS256","kid":"k"}
        let token = "eyJhbGciOiJSUzI1NiIsImtpZCI6ImsifQ.e30.AA"
        _ = deployment.direct(handler, ["provider": "google", "idToken": .string(token)])
        _ = deployment.direct(handler, ["provider": "myspace", "idToken": .string(token)])
        let lines = try deployment.lines.withLock { $0 }
            .map { try JSON.parse(Array($0.utf8), limits: .request) }
            .filter { $0["operation"] == "signIn" }
        try #require(lines.count == 2)
        expectEqual(lines[0]["provider"], "google")
        expectEqual(lines[0]["milliseconds"], 40)
        expectEqual(lines[0]["reason"], "identityRejected.keysUnavailable.unreachable")
        // Data from the client is not logged.
        expectEqual(lines[1]["provider"], nil)
        expectEqual(lines[1]["milliseconds"], 0)
    }
}

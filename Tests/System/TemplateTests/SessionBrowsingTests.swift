import AuthTestSupport
import Foundation
import HTTPClient
import TestSupport

/// How the emulator shows the sessions and tokens of Latchkey's functions: it asks `audit`.
@Suite("Sessions and tokens, as the emulator shows them", .serialized, .hangLimit)
struct SessionBrowsingTests {
    private let email: JSONObject = ["email": "ada@example.com"]

    private func signIn(_ deployed: DeployedTemplate) throws -> DeployedTemplate.Answer {
        let answer = try deployed.signIn("apple", email)
        expectEqual(answer.status, 200, "\(answer.body.text)")
        return answer
    }

    private func refresh(
        _ deployed: DeployedTemplate, _ session: DeployedTemplate.Answer
    ) throws -> DeployedTemplate.Answer {
        let answer = try deployed.ask(
            .post, "/auth/refresh", ["refreshToken": .string(try session.text("refreshToken"))])
        expectEqual(answer.status, 200, "\(answer.body.text)")
        return answer
    }

    private func sessions(_ deployed: DeployedTemplate) throws -> [JSON] {
        let answer = try deployed.ask(.get, "/_emulator/sessions")
        expectEqual(answer.status, 200, "\(answer.body.text)")
        expectEqual(answer.body["unreadable"], nil)
        return try #require(answer.body["sessions"]?.arrayValue)
    }

    private func explain(_ deployed: DeployedTemplate, _ token: String) throws -> JSON {
        let answer = try deployed.ask(.post, "/_emulator/tokens/explain", ["token": .string(token)])
        expectEqual(answer.status, 200, "\(answer.body.text)")
        return answer.body
    }

    private func check(_ name: String, in verdict: JSON) -> JSON? {
        verdict["checks"]?.arrayValue?.first { $0["check"] == .string(name) }
    }

    /// The claims of an access token.
    private func claims(_ token: String) throws -> JSON {
        let payload = try #require(Base64URL.decode(token.split(separator: ".")[1]))
        return try JSON.parse(payload, limits: .request)
    }

    @Test(arguments: FlowStore.allCases)
    func `a sign-in and a refresh are shown`(store: FlowStore) throws {
        let deployed = try DeployedTemplate("latchkey", on: store)
        #expect(try sessions(deployed).isEmpty)
        let first = try signIn(deployed)
        let claims = try claims(try first.text("accessToken"))

        let fresh = try sessions(deployed)
        expectEqual(fresh.count, 1)
        expectEqual(fresh[0]["user"], claims["sub"])
        expectEqual(fresh[0]["family"], claims["sid"])
        expectEqual(fresh[0]["state"], "active")
        expectEqual(fresh[0]["provider"], "apple")
        expectEqual(fresh[0]["generation"], 0)
        expectEqual(fresh[0]["isBoundToKey"], false)
        expectEqual(fresh[0]["function"]?.stringValue?.contains("Audit"), true)
        // There is no token before the first.
        expectEqual(fresh[0]["graceLeftMilliseconds"], nil)
        expectEqual(fresh[0]["createdAt"], fresh[0]["lastUsedAt"])

        let second = try refresh(deployed, first)
        let refreshed = try sessions(deployed)
        expectEqual(refreshed.count, 1)
        expectEqual(refreshed[0]["family"], fresh[0]["family"])
        expectEqual(refreshed[0]["generation"], 1)
        let grace = try #require(refreshed[0]["graceLeftMilliseconds"]?.int64Value)
        #expect((0...60_000).contains(grace))
        for name in ["createdAt", "lastUsedAt", "expiresAt"] {
            let text = try #require(refreshed[0][name]?.stringValue)
            #expect(Instant(iso8601: text) != nil, "\(name)")
        }
        expectEqual(refreshed[0]["createdAt"], fresh[0]["createdAt"])

        // No token, no part of a token, and none of its secrets.
        let shown = try deployed.ask(.get, "/_emulator/sessions").body.text
        for token in [first, second] {
            for name in ["refreshToken", "accessToken"] {
                let text = try token.text(name)
                #expect(!shown.contains(text))
                let hash = SHA256.hash(utf8: text)
                #expect(
                    !shown.contains(Base64URL.encode(hash)) && !shown.contains(Hex.encode(hash)))
            }
        }
        #expect(!shown.contains("seed") && !shown.contains("writer"))
    }

    @Test func `sessions have pages, and the command lists them`() throws {
        let deployed = try DeployedTemplate("latchkey", on: .dynamoDB)
        for _ in 0..<5 { _ = try signIn(deployed) }
        var families: [JSON?] = []
        var cursor = ""
        var pageCount = 0
        repeat {
            let page = try deployed.ask(.get, "/_emulator/sessions?limit=2&cursor=\(cursor)").body
            families += (page["sessions"]?.arrayValue ?? []).map { $0["family"] }
            cursor = page["next"]?.stringValue ?? ""
            pageCount += 1
        } while !cursor.isEmpty && pageCount < 10
        #expect(families.count == 5 && Set(families.map { $0?.text }).count == 5)
        #expect(pageCount >= 3)
        let result = try ChildProcess.run(
            EmulatorProcess.command(["sessions", "--url", deployed.emulator.appURL]))
        expectEqual(result.end, .exit(0))
        let lines = result.text.split(separator: "\n")
        #expect(lines.count == 6 && lines[0].hasPrefix("user "))
        #expect(
            lines.dropFirst().allSatisfy { $0.contains("  active  0 ") && !$0.contains("lkr_") })
    }

    /// Whether a session is valid also depends on its account.
    @Test func `a session that ended with its account is shown with the reason`() throws {
        let deployed = try DeployedTemplate("latchkey", on: .dynamoDB, isStrict: false)
        let session = try signIn(deployed)
        let bearer = try session.text("accessToken")
        let passed = try explain(deployed, bearer)
        expectEqual(passed["verdict"], "passed", "\(passed.text)")
        expectEqual(passed["token"], "access token of the app")
        expectEqual(check("session", in: passed)?["verdict"], "passed")
        expectEqual(check("kid", in: passed)?["explanation"], "Found in the key set of the app.")

        let signOut = try deployed.ask(.post, "/auth/signout", ["scope": "all"], bearer: bearer)
        expectEqual(signOut.status, 200, "\(signOut.body.text)")
        try expectEqual(sessions(deployed).map { $0["state"] }, ["signedOutEverywhere"])
        let ended = try explain(deployed, bearer)
        expectEqual(ended["firstFailure"], "session")
        let refreshToken = try explain(deployed, try session.text("refreshToken"))
        expectEqual(refreshToken["firstFailure"], "session")
    }

    private static func send(_ request: HTTPRequest) throws -> HTTPResponse {
        try CurlTransport(trust: CertificateTrust { _ in nil }).send(request)
    }

    @Test func `a refresh token is identified by its generation`() throws {
        let deployed = try DeployedTemplate("latchkey", on: .dynamoDB)
        let first = try signIn(deployed)
        let old = try first.text("refreshToken")
        let current = try explain(deployed, old)
        #expect(current["verdict"] == "passed" && current["firstFailure"] == nil)
        expectEqual(check("generation", in: current)?["verdict"], "passed")
        expectEqual(check("proof", in: current)?["verdict"], "passed")
        let forged = try explain(deployed, String(old.dropLast()) + (old.last == "A" ? "B" : "A"))
        expectEqual(forged["firstFailure"], "proof")
        let sub = try claims(try first.text("accessToken"))["sub"]
        expectEqual(current["claims"]?["user"], sub)
        // The proof is not repeated.
        #expect(!current.text.contains(old.suffix(32)))

        let second = try refresh(deployed, first)
        let forgiven = try explain(deployed, old)
        expectEqual(check("generation", in: forgiven)?["verdict"], "passed")
        let text = check("generation", in: forgiven)?["explanation"]?.stringValue
        expectEqual(text?.contains("gets the same successor"), true)
        _ = try refresh(deployed, second)
        let replaced = try explain(deployed, old)
        expectEqual(replaced["firstFailure"], "generation")
        expectEqual(replaced["explanation"]?.stringValue?.contains("is reuse"), true)
        // Reading has changed nothing.
        try expectEqual(sessions(deployed).map { $0["generation"] }, [2])

        try expectEqual(
            deployed.ask(.post, "/auth/refresh", ["refreshToken": .string(old)]).status, 401)
        try expectEqual(explain(deployed, old)["firstFailure"], "session")
        #expect(try sessions(deployed).isEmpty)
    }

    @Test func `without a grace period, using the previous token is reuse`() throws {
        let deployed = try DeployedTemplate("latchkey", on: .dynamoDB) { resources in
            for function in ["RefreshFunction", "AuditFunction"] {
                try resources.change(function, "Properties", "Environment", "Variables") {
                    $0["REFRESH_GRACE_SECONDS"] = "0"
                }
            }
        }
        let first = try signIn(deployed)
        _ = try refresh(deployed, first)
        try expectEqual(sessions(deployed).map { $0["graceLeftMilliseconds"] }, [0])
        let verdict = try explain(deployed, try first.text("refreshToken"))
        expectEqual(verdict["firstFailure"], "generation")
    }

    @Test func `a session that is bound to a key is marked`() throws {
        let deployed = try DeployedTemplate("latchkey", on: .dynamoDB) { resources in
            try resources.change("SignInFunction", "Properties", "Environment", "Variables") {
                $0["DPOP"] = "optional"
            }
        }
        let key = try SigningKey.generate(.es256, random: .system)
        let url = "\(deployed.emulator.appURL)/auth/signin"
        let proof = try JWS.sign(
            JSON.object([
                "jti": .string(Hex.encode(RandomSource.system.bytes(12))), "htm": "POST",
                "htu": .string(url), "iat": .number(WallClock.system.now().seconds),
            ]).serialized,
            header: [
                "typ": "dpop+jwt", "jwk": .object(try #require(key.publicJWK)),
            ], with: key)
        let body: JSON = ["provider": "apple", "idToken": try deployed.mint("apple", email)]
        let answer = try Self.send(
            HTTPRequest(
                .post, url,
                headers: [
                    HTTPHeader("Content-Type", "application/json"), HTTPHeader("DPoP", proof),
                ], body: body.serialized))
        expectEqual(answer.status, 200, "\(String(decoding: answer.body, as: UTF8.self))")
        try expectEqual(sessions(deployed).map { $0["isBoundToKey"] }, [true])
    }

    @Test func `the reason why a store cannot be read is shown`() throws {
        let deployed = try DeployedTemplate("latchkey", on: .dynamoDB, isStrict: false)
        let session = try signIn(deployed)
        try expectEqual(
            deployed.ask(.get, "/_emulator/sessions").body["functions"]?.arrayValue?.count, 1)
        let removal = try Self.send(
            HTTPRequest(
                .post, deployed.emulator.awsURL + "/",
                headers: [
                    HTTPHeader("Content-Type", "application/x-amz-json-1.0"),
                    HTTPHeader("X-Amz-Target", "DynamoDB_20120810.DeleteTable"),
                ], body: Array(#"{"TableName":"Table"}"#.utf8)))
        expectEqual(removal.status, 200)
        let answer = try deployed.ask(.get, "/_emulator/sessions")
        expectEqual(answer.status, 200)
        expectEqual(answer.body["sessions"], [])
        let note = answer.body["notes"]?.arrayValue?.first?.stringValue
        expectEqual(note?.contains("cannot read the sessions"), true)
        for name in ["refreshToken", "accessToken"] {
            let verdict = try explain(deployed, try session.text(name))
            #expect(
                verdict["checks"]?.arrayValue?.contains { check in
                    check["verdict"] == "skipped"
                        && check["explanation"]?.stringValue?.contains("cannot read") == true
                } == true, "\(verdict.text)")
        }
    }

    /// The emulator's own requests are not events of the app.
    @Test func `listing the sessions leaves no trace and is not subject to faults`() throws {
        let deployed = try DeployedTemplate("latchkey", on: .dynamoDB)
        _ = try signIn(deployed)
        #expect(try sessions(deployed).count == 1)
        let fault: JSON = [
            "match": ["service": "dynamodb"], "effect": "throttle",
        ]
        try expectEqual(deployed.ask(.post, "/_emulator/faults", fault).status, 201)
        func state() throws -> [JSON] {
            try ["invocations", "logs", "traces", "faults"].map { path in
                try deployed.ask(.get, "/_emulator/\(path)").body
            }
        }
        let before = try state()
        #expect(try sessions(deployed).count == 1)
        try expectEqual(state(), before)
    }
}

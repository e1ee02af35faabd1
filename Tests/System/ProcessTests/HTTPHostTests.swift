import AuthTestSupport
import Glibc
import TestSupport

/// Functions that serve HTTP themselves, as processes.
@Suite("HTTP host, with real processes", .serialized, .hangLimit)
struct HTTPHostTests {
    @Test func `a function listens, answers, and ends with 0 on SIGTERM`() throws {
        let deployment = try Deployment()
        let server = try HTTPProcess("signin", in: deployment)
        let client = try server.client()
        let body = try deployment.signInBody(of: "ada").text
        client.send(HTTPProcess.post("/auth/signin", body))
        let answer = try #require(client.answer())
        expectEqual(answer.status, 200)
        expectEqual(answer.header("content-type"), "application/json")
        expectEqual(answer.header("server"), nil)
        #expect(answer.header("date") != nil)
        #expect(try JSON.parse(answer.body, limits: .event)["accessToken"]?.stringValue != nil)
        let result = server.end()
        expectEqual(result.end, .exit(0), "\(result.errorText)")
        #expect(result.output.isEmpty)
        let events = try result.errorLines.map {
            try JSON.parse(Array($0.utf8), limits: .request)["event"]
        }
        expectEqual(events, ["listening", "answered", "stopping"])
    }

    @Test func `health and readiness are answered and not logged`() throws {
        let deployment = try Deployment()
        let server = try HTTPProcess("me", in: deployment)
        let client = try server.client()
        client.send("GET /_/health HTTP/1.1\r\nHost: a\r\n\r\n")
        expectEqual(client.answer()?.body, "OK\n")
        client.send("GET /_/ready HTTP/1.1\r\nHost: a\r\n\r\n")
        expectEqual(client.answer()?.body, "ready\n")
        client.send("POST /_/health HTTP/1.1\r\nHost: a\r\nContent-Length: 0\r\n\r\n")
        expectEqual(client.answer()?.status, 404)
        let result = server.end()
        expectEqual(result.errorLines.count, 3, "\(result.errorText)")
    }

    @Test func `with a store that does not answer, the server is alive but not ready`() throws {
        let deployment = try Deployment(
            Deployment.dynamoDBSettings(table: "latchkey", url: "http://127.0.0.1:9"))
        let server = try HTTPProcess("me", in: deployment)
        let client = try server.client()
        client.send("GET /_/ready HTTP/1.1\r\nHost: a\r\n\r\n")
        expectEqual(client.answer()?.status, 503)
        client.send("GET /_/health HTTP/1.1\r\nHost: a\r\n\r\n")
        expectEqual(client.answer()?.status, 200)
    }

    @Test func `latchkey takes events like any function`() throws {
        let deployment = try Self.wholeDeployment()
        let challenge = Deployment.event("challenge", [:])
        var command = deployment.eventless("latchkey")
        command.input = .bytes(challenge.serialized)
        try expectEqual(Answer(ChildProcess.run(command)).status, 200)
        command.input = .bytes(Array(#"{"function":"challenge"}"#.utf8))
        #expect(try ChildProcess.run(command).text.contains(#""nonce":"#))
        for (payload, problem) in [
            (#"{"function":"key"}"#, "function: key is unknown; did you mean keys? Choose from "),
            ("{}", "does not say which function it is for"),
            (#"{"function":7}"#, "function must be a text"),
            (#"{"function":"credentials"}"#, "function: credentials is unknown. Choose from "),
        ] {
            command.input = .bytes(Array(payload.utf8))
            let text = try ChildProcess.run(command).text
            #expect(
                text.contains("NOT_FOUND") && text.contains(problem)
                    && text.contains("housekeeping, "), "\(text)")
        }
    }

    @Test func `PORT is used only if nothing else sets the address`() throws {
        let port = try FreePort.find()
        let deployment = try Deployment().with("PORT", "\(port)")
        let server = try HTTPProcess("challenge", in: deployment, arguments: [])
        expectEqual(server.port, port)
        expectEqual(server.end().end, .exit(0))
        var command = deployment.command("challenge")
        command.environment += [("Http_Method", "GET"), ("Http_Path", "/")]
        #expect(try ChildProcess.run(command).text.contains("error"))
        var wrong = try Deployment().with("PORT", "http").eventless("challenge")
        wrong.input = .closed
        #expect(try ChildProcess.run(wrong).errorText.contains("PORT must be"))
    }

    @Test func `a systemd socket is served only by the process in its variables`() throws {
        let deployment = try Deployment()
        let program = """
            import os, socket, sys
            s = socket.socket(); s.bind(("127.0.0.1", 0)); s.listen()
            os.dup2(s.fileno(), 3)
            os.set_inheritable(3, True)
            os.environ.update(LISTEN_FDS="1", LISTEN_PID=str(os.getpid()))
            os.execv(sys.argv[1], sys.argv[1:])
            """
        var command = deployment.eventless("challenge")
        command.arguments = ["python3", "-c", program, command.path]
        command.path = "/usr/bin/env"
        command.environment.append(("PATH", "/usr/local/bin:/usr/bin:/bin"))
        let server = try HTTPProcess(command)
        let client = try server.client()
        client.send(HTTPProcess.post("/auth/challenge", "{}"))
        expectEqual(client.answer()?.status, 200)
        expectEqual(server.end().end, .exit(0))

        var other = deployment.command("challenge")
        other.environment += [("LISTEN_FDS", "1"), ("LISTEN_PID", "1")]
        try expectEqual(Answer(ChildProcess.run(other)).status, 200)
    }

    @Test(
        arguments: [
            (["--listen", "8080"], 64, ":8080 or 127.0.0.1:8080"), (["--listen=x:1"], 64, ""),
            (["--listen", "fd:77"], 1, ""), (["--listen", "127.0.0.1:0", "--help"], 64, ""),
        ] as [([String], Int32, String)])
    func `an invalid address is refused, and the right one suggested`(
        arguments: [String], status: Int32, words: String
    ) throws {
        var command = try Deployment().eventless("challenge")
        command.arguments = arguments
        let result = try ChildProcess.run(command)
        expectEqual(result.end, .exit(status))
        #expect(words.isEmpty || result.errorText.contains(words), "\(result.errorText)")
    }

    @Test func `an authorizer does not listen, and settings are checked`() throws {
        var command = try Deployment().eventless("authorizer")
        command.arguments = ["--listen", "127.0.0.1:0"]
        #expect(try ChildProcess.run(command).errorText.contains("cannot listen"))
        var wrong = try Deployment().with("SERVER_WORKERS", "0").eventless("challenge")
        wrong.arguments = ["--listen", "127.0.0.1:0"]
        #expect(try ChildProcess.run(wrong).errorText.contains("SERVER_WORKERS must be"))
    }

    @Test func `SIGTERM under load loses no answer to a processed request`() throws {
        let deployment = try Deployment()
        let server = try HTTPProcess("challenge", in: deployment)
        let received = Atomic<Int>(0)
        let running = Atomic<Int>(8)
        for _ in 0..<8 {
            let client = try server.client()
            let box = Loaded(client)
            DetachedThread.run {
                while box.client.send(HTTPProcess.post("/auth/challenge", "{}")),
                    box.client.answer()?.status == 200
                {
                    received.add(1, ordering: .relaxed)
                }
                running.subtract(1, ordering: .relaxed)
            }
        }
        usleep(500_000)
        let result = server.end()
        expectEqual(result.end, .exit(0), "\(result.errorText.suffix(500))")
        while running.load(ordering: .relaxed) > 0 { usleep(1_000) }
        let answered = result.errorLines.count { $0.contains(#""event":"answered""#) }
        #expect(answered > 8)
        expectEqual(received.load(ordering: .relaxed), answered)
    }

    /// Requests of of-watchdog in the mode `http`: chunked bodies without a length, the caller's
    /// `Host`, `X-Call-Id`, and `X-Forwarded-For` of the gateway.
    @Test func `a server serves requests of the of-watchdog`() throws {
        let deployment = try Deployment([
            ("TRUSTED_HOPS", "1"), ("RATE_LIMITS", "challenge.address=1/86400"),
        ])
        let server = try HTTPProcess("challenge", in: deployment)
        func ask(_ address: String) throws -> LoopbackClient.Answer? {
            let client = try server.client()
            client.send(
                "POST /auth/challenge HTTP/1.1\r\nHost: gateway:8080\r\nUser-Agent: curl/8\r\n"
                    + "Accept-Encoding: gzip\r\nTransfer-Encoding: chunked\r\n"
                    + "X-Call-Id: call-7\r\nX-Forwarded-For: \(address)\r\n"
                    + "X-Forwarded-Host: gateway:8080\r\n\r\n2\r\n{}\r\n0\r\n\r\n")
            return client.answer()
        }
        try expectEqual(ask("192.0.2.1")?.status, 200)
        try expectEqual(ask("192.0.2.2")?.status, 200)
        try expectEqual(ask("192.0.2.1")?.status, 429)
        let result = server.end()
        expectEqual(result.end, .exit(0))
        expectEqual(result.errorLines.count { $0.contains(#""requestId":"call-7""#) }, 3)
    }

    /// The functions are left out for which these tests have no settings.
    private static func wholeDeployment() throws -> Deployment {
        try Deployment([
            ("OMITTED_FUNCTIONS", "credentials,admin-login"), ("MAIL_URL", "smtp://127.0.0.1:9"),
            ("MAIL_FROM", "no-reply@example.com"), ("LINK_BASE", "https://app.example.com"),
        ])
    }
}

/// A client of one thread.
private struct Loaded: @unchecked Sendable {
    let client: LoopbackClient
    init(_ client: LoopbackClient) { self.client = client }
}

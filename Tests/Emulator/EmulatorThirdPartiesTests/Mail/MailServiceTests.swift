import BaseTestSupport
import EmulatorThirdParties

@Suite("Mailbox over HTTP") struct MailServiceTests {
    private func server() throws -> MailServer { try MailServer(try MailHarness()) }

    @Test func `a list is ordered newest first and can be filtered`() throws {
        let server = try server()
        for (to, subject) in [
            ("ada@example.com", "One"), ("bob@example.com", "Two"), ("Ada@Example.com", "Three"),
        ] { try server.harness.sendSimple(to: to, subject: subject) }
        func subjects(_ query: String) throws -> [String] {
            let answer = try server.get("/_emulator/mail\(query)")
            expectEqual(answer.status, 200)
            return try #require(try answer.json()["messages"]?.arrayValue)
                .compactMap { $0["subject"]?.stringValue }
        }
        try expectEqual(subjects(""), ["Three", "Two", "One"])
        try expectEqual(subjects("?limit=2"), ["Three", "Two"])
        try expectEqual(subjects("?before=3"), ["Two", "One"])
        try expectEqual(subjects("?to=ADA%40example.com"), ["Three", "One"])
        try expectEqual(subjects("?to=da%40example.com"), [])
        try expectEqual(subjects("?to=%40example.com&limit=1"), ["Three"])
        try expectEqual(subjects("?to=%40ample.com"), [])
        try expectEqual(subjects("?subject=tW"), ["Two"])
        try expectEqual(subjects("?since=2023-11-14T22:13:20Z").count, 3)
        try expectEqual(subjects("?since=2023-11-14T22:13:21Z"), [])
    }

    @Test(arguments: [
        ("GET", "?limit=0", 400), ("GET", "?limit=x", 400), ("GET", "?since=yesterday", 400),
        ("GET", "?to=%ZZ", 400), ("GET", "/999", 404), ("GET", "/x", 404), ("GET", "/1/x", 404),
        ("GET", "/1/attachments/0", 404), ("GET", "/1/html", 404), ("GET", "/1/link", 404),
        ("GET", "/wait/x", 404), ("GET", "/wait?timeoutSeconds=301", 400), ("PUT", "", 405),
        ("PUT", "/1", 405), ("POST", "/wait", 405), ("GET", "/%FF", 400), ("PUT", "/faults/x", 404),
        ("PUT", "/faults/throttled?times=0", 400), ("DELETE", "/999", 404),
        ("GET", "/-1", 404), ("GET", "/1/raw/x", 404),
    ])
    func `unknown paths and methods are refused`(method: String, target: String, status: Int) throws
    {
        let server = try server()
        try server.harness.sendSimple(text: "no number")
        let answer = try server.ask(method, "/_emulator/mail\(target)")
        expectEqual(answer.status, status)
        #expect(try answer.json()["message"]?.stringValue != nil)
    }

    @Test func `all parts of a message are available`() throws {
        let server = try server()
        let sent = try server.harness.sendSimple(
            text: "Your code is 482913.\nhttps://example.com/verify?t=1&u=2.",
            html: #"<a href="https://example.com/v?a=1&amp;b=2">Go</a>"#)
        let json = try server.get("/_emulator/mail/1").json()
        expectEqual(json["codes"], ["482913"])
        expectEqual(
            json["links"], ["https://example.com/verify?t=1&u=2", "https://example.com/v?a=1&b=2"])
        expectEqual(json["from"], "App <no-reply@example.com>")
        expectEqual(json["to"], ["ada@example.com"])
        expectEqual(json["id"], "1")
        let id = try #require(sent.json["MessageId"]?.stringValue)
        try expectEqual(server.get("/_emulator/mail/\(id)").json()["id"], "1")
        try expectEqual(server.get("/_emulator/mail/latest?to=ada@example.com").json()["id"], "1")
        try expectEqual(server.get("/_emulator/mail/1/code").body, "482913\n")
        try expectEqual(
            server.get("/_emulator/mail/1/link?contains=/V%3F").body,
            "https://example.com/v?a=1&b=2\n")
        let raw = try server.get("/_emulator/mail/1/raw")
        expectEqual(raw.header("content-type"), "message/rfc822")
        #expect(raw.body.contains("\r\nSubject: Hello\r\n"))
        let html = try server.get("/_emulator/mail/1/html")
        expectEqual(
            html.header("content-security-policy")?.hasPrefix("sandbox; default-src 'none'"), true)
        expectEqual(html.header("x-content-type-options"), "nosniff")
    }

    @Test func `deleting removes one or all messages`() throws {
        let server = try server()
        for _ in 0..<3 { try server.harness.sendSimple() }
        try expectEqual(server.ask("DELETE", "/_emulator/mail/2").status, 204)
        try expectEqual(server.get("/_emulator/mail").json()["total"]?.int64Value, 2)
        try expectEqual(server.get("/_emulator/mail/2").status, 404)
        try expectEqual(server.ask("DELETE", "/_emulator/mail").status, 204)
        try expectEqual(server.get("/_emulator/mail").json()["messages"], [])
        try server.harness.sendSimple()
        // IDs are never reused.
        try expectEqual(server.harness.newest().entry.id, 4)
    }

    @Test func `faults are activated by name`() throws {
        let server = try server()
        let on = try server.ask("PUT", "/_emulator/mail/faults/throttled?times=1")
        try expectEqual(on.json()["active"], [["name": "throttled", "timesLeft": 1]])
        try server.harness.sendSimple().expect(429, "TooManyRequestsException")
        try expectEqual(server.get("/_emulator/mail/faults").json()["active"], [])
        _ = try server.ask("PUT", "/_emulator/mail/faults/sending-paused")
        let off = try server.ask("DELETE", "/_emulator/mail/faults")
        try expectEqual(off.json()["active"], [])
    }
}

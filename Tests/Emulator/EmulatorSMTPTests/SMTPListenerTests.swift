import BaseTestSupport
import EmulatorThirdParties

@Suite("SMTP listener") struct SMTPListenerTests {
    private func mailbox() throws -> Mailbox {
        try Mailbox(directory: nil, clock: .fixed(at: Instant(seconds: 1_700_000_000)))
    }

    private static let letter =
        "EHLO me\r\nMAIL FROM:<a@example.com>\r\n"
        + "RCPT TO:<b@example.com>\r\nRCPT TO:<c@example.com>\r\n"
        + "DATA\r\nTo: B <b@example.com>\r\nSubject: Hi\r\n\r\nYour code: 123456\r\n.\r\nQUIT\r\n"

    @Test func `the number of connections is limited`() throws {
        let listener = try SMTPListener(try mailbox(), limits: SMTPLimits(connectionsMax: 3))
        let clients = try (0..<3).map { _ in try LoopbackClient(port: listener.port) }
        for client in clients { #expect(client.readLine().hasPrefix("220 ")) }
        let late = try LoopbackClient(port: listener.port)
        expectEqual(late.readToEnd(), "421 4.3.2 Too many connections\r\n")
        clients[0].send("QUIT\r\n")
        expectEqual(clients[0].readToEnd(), "221 2.0.0 Bye\r\n")
        clients[0].hangUp()
        clients[1].send("NOOP\r\n")
        expectEqual(clients[1].readLine(), "250 2.0.0 Ok\r\n")
        let next = try LoopbackClient(port: listener.port)
        #expect(next.readLine().hasPrefix("220 "))
    }

    @Test func `stopping closes everything`() throws {
        let listener = try SMTPListener(try mailbox())
        let clients = try (0..<5).map { _ in try LoopbackClient(port: listener.port) }
        for client in clients { #expect(client.readLine().hasPrefix("220 ")) }
        listener.stop()
        for client in clients { expectEqual(client.readToEnd(), "") }
        listener.stop()
    }

    @Test func `a port in use is reported`() throws {
        let listener = try SMTPListener(try mailbox())
        #expect(throws: SMTPListenerFailure.portTaken(listener.port)) {
            _ = try SMTPListener(try mailbox(), port: listener.port)
        }
    }

    @Test func `the last reply reaches a client that is still sending`() throws {
        let listener = try SMTPListener(try mailbox())
        let client = try LoopbackClient(port: listener.port)
        client.send("NOOP\n" + String(repeating: "NOOP\r\n", count: 50_000))
        #expect(client.readToEnd().hasSuffix("500 5.5.2 Lines end with CR LF\r\n"))
    }

    @Test func `many concurrent clients are all served`() throws {
        let mailbox = try mailbox()
        let listener = try SMTPListener(mailbox)
        let clients = try (0..<50).map { _ in try LoopbackClient(port: listener.port) }
        for client in clients { client.send(Self.letter) }
        for client in clients { #expect(client.readToEnd().hasSuffix("221 2.0.0 Bye\r\n")) }
        expectEqual(mailbox.count, 50)
    }

    @Test func `the size of incomplete messages is limited`() throws {
        let listener = try SMTPListener(try mailbox(), limits: SMTPLimits(heldBytesMax: 10_000))
        let client = try LoopbackClient(port: listener.port)
        client.send(
            "EHLO me\r\nMAIL FROM:<a@b.c>\r\nRCPT TO:<d@e.f>\r\nDATA\r\n"
                + String(repeating: "0123456\r\n", count: 2000))
        #expect(client.readToEnd().hasSuffix("421 4.3.1 Too many messages at once\r\n"))
    }

    @Test func `an idle client is disconnected`() throws {
        let listener = try SMTPListener(try mailbox(), limits: SMTPLimits(idleSecondsMax: 0))
        let client = try LoopbackClient(port: listener.port)
        #expect(client.readToEnd().hasSuffix("421 4.4.2 Idle for too long\r\n"))
    }
}

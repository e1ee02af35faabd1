import EmulatorMail
import EmulatorSMTP
import Glibc
import Testing
import Time

@Suite("SMTP listener") struct SMTPListenerTests {
    private func mailbox() throws -> Mailbox {
        try Mailbox(directory: nil, clock: .fixed(at: Instant(seconds: 1_700_000_000)))
    }

    private static let letter =
        "EHLO me\r\nMAIL FROM:<a@example.com>\r\nRCPT TO:<b@example.com>\r\nRCPT TO:<c@example.com>\r\n"
        + "DATA\r\nTo: B <b@example.com>\r\nSubject: Hi\r\n\r\nYour code: 123456\r\n.\r\nQUIT\r\n"

    @Test func `a message comes into the mailbox, with its hidden recipients`() throws {
        let mailbox = try mailbox()
        let listener = try SMTPListener(mailbox)
        let client = try SMTPClient(port: listener.port)
        client.send(Self.letter)
        let replies = client.readToEnd()
        #expect(replies.hasPrefix("220 localhost ESMTP Latchkey\r\n250-"))
        #expect(replies.hasSuffix("250 2.0.0 Ok: kept as 1\r\n221 2.0.0 Bye\r\n"))
        let entry = try #require(try mailbox.list(MailFilter(), limit: 1).first)
        #expect(entry.summary.source == "smtp")
        #expect(entry.summary.to == ["B <b@example.com>"])
        #expect(entry.summary.bcc == ["c@example.com"])
        #expect(entry.summary.subject == "Hi")
        listener.stop()
    }

    @Test func `a fault is met here too`() throws {
        let mailbox = try mailbox()
        mailbox.faults.switchOn(.throttled, times: 1)
        let listener = try SMTPListener(mailbox)
        let client = try SMTPClient(port: listener.port)
        client.send(Self.letter)
        #expect(client.readToEnd().contains("\r\n454 4.7.0 Throttling failure"))
        #expect(mailbox.count == 0)
    }

    @Test func `only so many connections are held`() throws {
        let listener = try SMTPListener(
            try mailbox(), limits: SMTPLimits(connectionsMax: 3))
        let clients = try (0..<3).map { _ in try SMTPClient(port: listener.port) }
        for client in clients { #expect(client.readLine().hasPrefix("220 ")) }
        let late = try SMTPClient(port: listener.port)
        #expect(late.readToEnd() == "421 4.3.2 Too many connections\r\n")
        clients[0].send("QUIT\r\n")
        #expect(clients[0].readToEnd() == "221 2.0.0 Bye\r\n")
        clients[0].hangUp()
        clients[1].send("NOOP\r\n")
        #expect(clients[1].readLine() == "250 2.0.0 Ok\r\n")
        let next = try SMTPClient(port: listener.port)
        #expect(next.readLine().hasPrefix("220 "))
    }

    @Test func `stopping closes everything`() throws {
        let listener = try SMTPListener(try mailbox())
        let clients = try (0..<5).map { _ in try SMTPClient(port: listener.port) }
        for client in clients { #expect(client.readLine().hasPrefix("220 ")) }
        listener.stop()
        for client in clients { #expect(client.readToEnd() == "") }
        listener.stop()
    }

    @Test func `a port that is taken is said to be`() throws {
        let listener = try SMTPListener(try mailbox())
        #expect(throws: SMTPListenerFailure.portTaken(listener.port)) {
            _ = try SMTPListener(try mailbox(), port: listener.port)
        }
    }

    @Test func `the last reply reaches a client that still sends`() throws {
        let listener = try SMTPListener(try mailbox())
        let client = try SMTPClient(port: listener.port)
        client.send("NOOP\n" + String(repeating: "NOOP\r\n", count: 50_000))
        #expect(client.readToEnd().hasSuffix("500 5.5.2 Lines end with CR LF\r\n"))
    }

    @Test func `many clients at once are all served`() throws {
        let mailbox = try mailbox()
        let listener = try SMTPListener(mailbox)
        let clients = try (0..<50).map { _ in try SMTPClient(port: listener.port) }
        for client in clients { client.send(Self.letter) }
        for client in clients { #expect(client.readToEnd().hasSuffix("221 2.0.0 Bye\r\n")) }
        #expect(mailbox.count == 50)
    }

    @Test func `messages that are not complete hold only so much`() throws {
        let listener = try SMTPListener(try mailbox(), limits: SMTPLimits(heldBytesMax: 10_000))
        let client = try SMTPClient(port: listener.port)
        client.send(
            "EHLO me\r\nMAIL FROM:<a@b.c>\r\nRCPT TO:<d@e.f>\r\nDATA\r\n"
                + String(repeating: "0123456\r\n", count: 2000))
        #expect(client.readToEnd().hasSuffix("421 4.3.1 Too much mail at a time\r\n"))
    }

    @Test func `a client that says nothing is let go`() throws {
        let listener = try SMTPListener(try mailbox(), limits: SMTPLimits(idleSecondsMax: 0))
        let client = try SMTPClient(port: listener.port)
        #expect(client.readToEnd().hasSuffix("421 4.4.2 Nothing came for too long\r\n"))
    }
}

/// A client that says exactly what a test wants said.
final class SMTPClient {
    private let descriptor: Int32

    init(port: UInt16) throws {
        descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        let result = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        try #require(result == 0)
        // A server that does not answer fails the test instead of stopping it.
        var limit = timeval(tv_sec: 20, tv_usec: 0)
        setsockopt(
            descriptor, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
    }

    deinit { close(descriptor) }

    func hangUp() { shutdown(descriptor, Int32(SHUT_RDWR)) }

    func send(_ text: String) {
        var left = Array(text.utf8)[...]
        while !left.isEmpty {
            let count = left.withUnsafeBytes {
                Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
            }
            guard count > 0 else { return }
            left = left.dropFirst(count)
        }
    }

    func readLine() -> String {
        var line: [UInt8] = []
        var byte: UInt8 = 0
        while line.last != 0x0A, recv(descriptor, &byte, 1, 0) == 1 { line.append(byte) }
        return String(decoding: line, as: UTF8.self)
    }

    func readToEnd() -> String {
        var received: [UInt8] = []
        var piece = [UInt8](repeating: 0, count: 64 << 10)
        while true {
            let count = recv(descriptor, &piece, piece.count, 0)
            guard count > 0 else { break }
            received += piece[..<count]
        }
        return String(decoding: received, as: UTF8.self)
    }
}

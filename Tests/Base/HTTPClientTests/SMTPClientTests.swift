import BaseTestSupport
import Foundation
import HTTPClient

@Suite("SMTP client", .serialized) struct SMTPClientTests {
    static let message = SMTPMessage(
        from: "no-reply@example.com", to: "ada@example.org",
        bytes: Array("Subject: Hi\r\n\r\n.dot\r\n..\r\nlast\r\n".utf8))
    static let login = SMTPEndpoint.Login(user: "app", password: SecretBytes(utf8: "pa ss\u{E9}"))

    private func send(
        _ server: ScriptedSMTPServer, _ security: SMTPEndpoint.Security,
        login: SMTPEndpoint.Login? = nil, trusted: Bool = true, host: String = "localhost",
        _ message: SMTPMessage = message, millisecondsMax: Int = 10_000
    ) throws(SMTPFailure) {
        let path = server.certificatePath
        let trust = CertificateTrust { name in
            trusted && name == "SSL_CERT_FILE" ? path : nil
        }
        try SMTPClient(
            SMTPEndpoint(host: host, port: server.port, security: security, login: login),
            trust: trust
        ).send(message, millisecondsMax: millisecondsMax)
    }

    @Test func `a message is delivered, with its leading dots doubled`() throws {
        let server = try ScriptedSMTPServer()
        try send(server, .none)
        let session = try server.session()
        expectEqual(
            session.commands.prefix(4).map { $0.split(separator: " ")[0] },
            ["EHLO", "MAIL", "RCPT", "DATA"])
        expectEqual(session.commands[0], "EHLO example.com")
        #expect(session.commands[1].hasPrefix("MAIL FROM:<no-reply@example.com>"))
        expectEqual(session.commands[2], "RCPT TO:<ada@example.org>")
        expectEqual(session.data, "Subject: Hi\r\n\r\n..dot\r\n...\r\nlast\r\n")
    }

    @Test func `STARTTLS comes before the password and the message`() throws {
        let server = try ScriptedSMTPServer(["starttls"])
        try send(server, .startTLS, login: Self.login)
        let session = try server.session()
        #expect(session.isSecure)
        expectEqual(session.commands[1], "STARTTLS")
        let password = Data("\0app\0pa ss\u{E9}".utf8).base64EncodedString()
        #expect(session.commands.contains { $0.hasSuffix(password) })
        expectEqual(session.data?.hasPrefix("Subject: Hi"), true)
    }

    @Test func `without STARTTLS nothing is sent`() throws {
        let server = try ScriptedSMTPServer()
        #expect { try send(server, .startTLS, login: Self.login) } throws: {
            guard case .insecure? = $0 as? SMTPFailure else { return false }
            return true
        }
        #expect(try server.session().commands.allSatisfy { $0.hasPrefix("EHLO") || $0 == "QUIT" })
    }

    @Test(arguments: [["starttls"], ["implicit"]])
    func `a certificate that is not trusted is refused`(_ options: [String]) throws {
        let server = try ScriptedSMTPServer(options)
        let security: SMTPEndpoint.Security = options == ["implicit"] ? .implicitTLS : .startTLS
        for (trusted, host) in [(false, "localhost"), (true, "127.0.0.1")] {
            #expect {
                try send(server, security, login: Self.login, trusted: trusted, host: host)
            } throws: {
                guard case .insecure? = $0 as? SMTPFailure else { return false }
                return true
            }
            #expect(
                try server.session().commands.allSatisfy {
                    $0.hasPrefix("EHLO") || $0 == "STARTTLS"
                })
        }
    }

    @Test func `with implicit TLS the connection is encrypted from the first byte`() throws {
        let server = try ScriptedSMTPServer(["implicit"])
        try send(server, .implicitTLS, login: Self.login)
        let session = try server.session()
        #expect(session.isSecure && session.data != nil)
    }

    @Test(arguments: [
        ("RCPT=550 5.1.1 no such user", SMTPFailure.recipientRefused(status: 550)),
        ("RCPT=450 4.2.1 try later", .recipientRefused(status: 450)),
        ("MAIL=553 5.7.1 not your address", .refused(status: 553)),
        ("MAIL=451 4.7.1 greylisted", .refused(status: 451)),
        ("DATA=554 5.7.1 no", .refused(status: 554)),
        ("END=554 5.7.1 spam", .refused(status: 554)), ("AUTH=535 5.7.8 no", .loginRefused),
    ])
    func `each kind of refusal is recognised`(_ option: String, _ failure: SMTPFailure) throws {
        let server = try ScriptedSMTPServer([option])
        #expect(throws: failure) { try send(server, .none, login: Self.login) }
    }

    @Test(arguments: ["RCPT=550 5.1.1 no such user", "END=250 2.0.0 queued as 7F"])
    func `a caller can get the server's last reply before QUIT`(_ option: String) throws {
        let server = try ScriptedSMTPServer([option])
        let path = server.certificatePath
        var reply: String?
        try? SMTPClient(
            SMTPEndpoint(host: "localhost", port: server.port, security: .none),
            trust: CertificateTrust { _ in path }
        ).send(Self.message, millisecondsMax: 10_000, hearing: &reply)
        expectEqual(reply, String(option.split(separator: "=")[1]))
    }

    @Test func `a server that never answers is given up`() throws {
        let server = try ScriptedSMTPServer(["silent"])
        #expect(throws: SMTPFailure.timedOut) { try send(server, .none, millisecondsMax: 200) }
    }

    @Test func `a connection that breaks after the message may have delivered it`() throws {
        let server = try ScriptedSMTPServer(["hangup"])
        #expect { try send(server, .none) } throws: {
            guard case .interrupted? = $0 as? SMTPFailure else { return false }
            return true
        }
    }

    @Test func `a port without a listener fails to connect`() throws {
        let endpoint = SMTPEndpoint(host: "127.0.0.1", port: 1, security: .none)
        #expect {
            try SMTPClient(endpoint, trust: CertificateTrust { _ in nil })
                .send(Self.message, millisecondsMax: 2000)
        } throws: {
            guard case .connectFailed? = $0 as? SMTPFailure else { return false }
            return true
        }
    }

    @Test(arguments: [
        "a@b.c>\r\nRCPT TO:<eve@example.com", "", "a b@c.d", "no at sign", "\u{E9}@b.c",
    ])
    func `an address with a character that is not allowed is not sent`(_ address: String) throws {
        let endpoint = SMTPEndpoint(host: "127.0.0.1", port: 1, security: .none)
        for message in [
            SMTPMessage(from: address, to: "a@b.c", bytes: []),
            SMTPMessage(from: "a@b.c", to: address, bytes: []),
        ] {
            #expect(throws: SMTPFailure.invalid(detail: "an address is malformed")) {
                try SMTPClient(endpoint, trust: CertificateTrust { _ in nil })
                    .send(message, millisecondsMax: 100)
            }
        }
    }
}

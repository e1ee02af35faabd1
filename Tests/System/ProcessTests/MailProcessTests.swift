import AuthTestSupport
import EmulatorThirdParties
import Foundation
import SQLiteStore
import TestSupport

/// Mail of the real executable, over a real connection.
@Suite("Mail of processes", .serialized, .hangLimit)
struct MailProcessTests {
    private static let masterKey = "a-master-key-that-is-long-enough-for-it"

    private static func deployment(smtpPort: UInt16) throws -> Deployment {
        try Deployment([
            ("MASTER_KEY", masterKey), ("MAIL_URL", "smtp://app@127.0.0.1:\(smtpPort)"),
            ("MAIL_PASSWORD", "any"), ("MAIL_FROM", "no-reply@example.com"),
            ("APP_NAME", "Example"),
        ])
    }

    /// Leaves messages in the outbox, like operations that were interrupted.
    private static func leave(_ count: Int, in deployment: Deployment) throws {
        let path = deployment.folder.file(Deployment.databaseName)
        let store = try SQLiteStore(path: path, clock: .system)
        let master = try #require(MasterKey(SecretBytes(utf8: masterKey)))
        let services = MailServices(
            sealing: try AESGCMKey(master.mail), sender: FakeMailSystem().sender, delivery: .outbox)
        let kit = try AuthKit(store: store, seed: UInt64(count) + 1)
        for number in 0..<count {
            let mail = Mail(.magicLink, to: "ada\(number)@example.com", values: ["code": "123456"])
            let message = try services.prepare(mail, auth: kit.auth, at: WallClock.system.now())
            try store.write([message.write])
        }
    }

    private static func housekeeping(_ deployment: Deployment) -> Command {
        var command = deployment.eventless("housekeeping")
        command.input = .bytes(Array("{}".utf8))
        return command
    }

    @Test func `concurrent runs send each message once`() throws {
        let mailbox = try Mailbox(directory: nil, clock: .system)
        let listener = try SMTPListener(mailbox)
        defer { listener.stop() }
        let deployment = try Self.deployment(smtpPort: listener.port)
        try Self.leave(12, in: deployment)
        let results = try deployment.race((0..<3).map { _ in Self.housekeeping(deployment) })
        for result in results { expectEqual(result.end, .exit(0), "\(result.errorText)") }
        let mails = try mailbox.list(MailFilter(), limit: 100)
        expectEqual(Set(mails.flatMap(\.summary.to)).count, 12)
        expectEqual(mails.count, 12)
    }

    @Test func `a message goes out over TLS, to a server whose certificate is trusted`() throws {
        let server = try ScriptedSMTPServer(["implicit"])
        var deployment = try Self.deployment(smtpPort: 0)
        deployment.settings.removeAll { $0.name == "MAIL_URL" }
        deployment.settings.append(("MAIL_URL", "smtps://app@localhost:\(server.port)"))
        try Self.leave(1, in: deployment)
        let result = try ChildProcess.run(Self.housekeeping(deployment))
        #expect(result.text.contains("\"failed\":1"))
        #expect(result.errorText.contains("\"reason\":\"refused\""))
        #expect(try server.session().commands.isEmpty)

        try Self.leave(1, in: deployment)
        deployment.settings.append(("SSL_CERT_FILE", server.certificatePath))
        let trusting = try ChildProcess.run(Self.housekeeping(deployment))
        #expect(trusting.text.contains("\"sent\":1"), "\(trusting.errorText)")
        let session = try server.session()
        #expect(session.isSecure && session.data?.contains("Subject: Sign in to Example") == true)
    }
}

import AWSSignature
import AuthComposition
import AuthTestSupport
import EmulatorBase
import EmulatorThirdParties
import Foundation
import FunctionRuntime
import HTTPClient
import SQLiteStore
import TestSupport

/// Mail of the real functions: from a row of the outbox to the mailbox.
@Suite("Mail of the functions") struct FunctionMailTests {
    static let masterKey = "a-master-key-that-is-long-enough-for-it"
    static let link = "https://app.example.com/verify?token=SECRETSECRETSECRET&next=%2F"
    static let mail = Mail(
        .verifyEmail, to: "ada@example.org", language: "de-DE,de;q=0.9,en;q=0.5",
        values: ["link": link, "code": "482913", "minutes": "30"])

    /// A database with messages in its outbox, and the function that sends them.
    final class Deployment: Sendable {
        let folder: TemporaryFolder
        let clock = TestClock()
        let store: SQLiteStore
        private let lines = Mutex<[String]>([])

        init() throws {
            folder = try TemporaryFolder()
            store = try SQLiteStore(path: folder.file("latchkey.db"), clock: clock.wall)
        }

        var log: String { lines.withLock { $0.joined() } }

        func put(_ mail: Mail) throws {
            let master = try #require(MasterKey(SecretBytes(utf8: masterKey)))
            let services = MailServices(
                sealing: try AESGCMKey(master.mail),
                sender: MailSender { _, _, _ throws(MailFailure) in throw .unavailable },
                delivery: .outbox)
            let kit = try AuthKit(clock: clock, store: store)
            try store.write([try services.prepare(mail, auth: kit.auth, at: clock.now).write])
        }

        func run(_ settings: [String: String]) throws -> JSON {
            let environment = [
                "STORE": "sqlite:\(folder.file("latchkey.db"))", "MASTER_KEY": masterKey,
                "MAIL_FROM": "no-reply@example.com", "APP_NAME": "Müller & Söhne",
            ].merging(settings) { $1 }
            let transport = CurlTransport(trust: CertificateTrust { _ in nil }).transport
            let handler = try LatchkeyFunction.handler(
                of: "housekeeping",
                Assembly(
                    environment: Environment(environment.map { ($0.key, $0.value) }),
                    clock: clock.wall, random: .seeded(3), transport: transport, sleep: { _ in },
                    sharedFolder: folder.path),
                Log(level: .info) { line in
                    self.lines.withLock { $0.append(String(decoding: line, as: UTF8.self)) }
                })
            guard case .request(let answer) = handler.kind else { return .null }
            let reply = answer(Request(form: .direct, payload: [:], requestID: "1"))
            guard case .json(let json)? = reply.body else { return .null }
            return json["jobs"]?["mail"] ?? json
        }
    }

    private func check(_ mailbox: Mailbox) throws {
        let entry = try #require(try mailbox.list(MailFilter(), limit: 1).first)
        let mail = try #require(try mailbox.message(entry.id))
        expectEqual(entry.summary.to, ["ada@example.org"])
        expectEqual(entry.summary.subject, "Bestätigen Sie Ihre E-Mail-Adresse für Müller & Söhne")
        let contents = MailContents(mail.message)
        expectEqual(mail.message.text?.contains(Self.link), true)
        expectEqual(mail.message.text?.contains("482913"), true)
        expectEqual(mail.message.html?.contains("lang=\"de\""), true)
        expectEqual(mail.message.html?.contains("Müller &amp; Söhne"), true)
        #expect(contents.links.contains(Self.link))
        #expect(contents.codes.contains("482913"))
    }

    @Test(arguments: [
        (MailFault.throttled, "unavailable"), (.sendingPaused, "refused"),
        (.accountSuspended, "refused"), (.domainNotVerified, "refused"), (.rejected, "refused"),
        (.limitExceeded, "refused"),
    ])
    func `a message that SES rejects temporarily is kept`(
        _ fault: MailFault, _ reason: String
    ) throws {
        let deployment = try Deployment()
        try deployment.put(Self.mail)
        let server = try MailServer(try MailHarness(now: deployment.clock.now))
        let settings = [
            "MAIL_URL": "ses", "AWS_REGION": "us-east-1",
            "AWS_ENDPOINT_URL": "http://127.0.0.1:\(server.server.port)",
            "AWS_ACCESS_KEY_ID": "AKIADEVELOPER0000000", "AWS_SECRET_ACCESS_KEY": "secret",
        ]
        server.harness.mailbox.faults.switchOn(fault)
        try expectEqual(deployment.run(settings)["failed"], 1)
        #expect(deployment.log.contains("\"reason\":\"\(reason)\""), "\(deployment.log)")
        server.harness.mailbox.faults.switchAllOff()
        try expectEqual(deployment.run(settings)["sent"], 0)
        deployment.clock.advance(by: .minutes(1))
        let later = try MailServer(try MailHarness(now: deployment.clock.now))
        let moved = settings.merging([
            "AWS_ENDPOINT_URL": "http://127.0.0.1:\(later.server.port)"
        ]) { $1 }
        try expectEqual(deployment.run(moved)["sent"], 1)
        try check(later.harness.mailbox)
    }

    @Test func `a message to an impossible address is dropped`() throws {
        let deployment = try Deployment()
        try deployment.put(Mail(.magicLink, to: "ada@localhost\r\n", values: ["code": "1"]))
        let settings = ["MAIL_URL": "smtp://127.0.0.1:1"]
        try expectEqual(deployment.run(settings)["dropped"], 1)
        #expect(deployment.log.contains("addressRejected"))
    }

    @Test func `moto accepts the functions' mail from a verified sender`() throws {
        let moto = try MotoServer.shared().url
        let deployment = try Deployment()
        try deployment.put(Self.mail)
        let settings = [
            "MAIL_URL": "ses", "AWS_REGION": "us-east-1", "AWS_ENDPOINT_URL": moto,
            "AWS_ACCESS_KEY_ID": "AKIADEVELOPER0000000", "AWS_SECRET_ACCESS_KEY": "secret",
        ]
        try expectEqual(deployment.run(settings)["failed"], 1, "\(deployment.log)")
        #expect(deployment.log.contains("\"reason\":\"refused\""), "\(deployment.log)")

        let request = try Signer(
            AWSCredentials(
                accessKeyID: "AKIADEVELOPER0000000",
                secretAccessKey: SecretBytes(utf8: "secret")),
            region: "us-east-1", service: "ses"
        ).sign(
            HTTPRequest(
                .post, "\(moto)/v2/email/identities",
                headers: [HTTPHeader("Content-Type", "application/json")],
                body: Array(#"{"EmailIdentity":"no-reply@example.com"}"#.utf8)),
            at: deployment.clock.now)
        let transport = CurlTransport(trust: CertificateTrust { _ in nil }).transport
        try expectEqual(transport.send(request).status, 200)
        deployment.clock.advance(by: .minutes(1))
        try expectEqual(deployment.run(settings)["sent"], 1, "\(deployment.log)")
    }
}

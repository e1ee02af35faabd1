import AWSClients
import AWSSignature
import AuthTestSupport
import DynamoDBStore
import Foundation
import HTTPClient
import TestSupport

/// The whole path of a message that a request could not send: the outbox in the table, the
/// schedule, housekeeping under its policy, SES, the mailbox.
@Suite("Template mail", .serialized, .hangLimit)
struct TemplateMailTests {
    private static let masterKey = "a-master-key-that-is-long-enough-for-it"

    private static func deployed() throws -> DeployedTemplate {
        try DeployedTemplate("latchkey") { resources in
            try resources.change("HousekeepingFunction", "Properties", "Environment", "Variables") {
                $0["MASTER_KEY"] = .string(masterKey)
            }
        }
    }

    /// Writes a message like an operation that was interrupted before it could send it.
    private static func leave(_ mail: Mail, in deployed: DeployedTemplate) throws {
        let variables = ["AWS_REGION": "us-east-1", "AWS_ENDPOINT_URL": deployed.emulator.awsURL]
        let key = EmulatorProcess.developerKey
        let sleep: @Sendable (Span) -> Void = { usleep(UInt32($0.milliseconds) * 1000) }
        let client = DynamoDBClient(
            try AWSSettings { variables[$0] },
            AWSPorts(
                transport: CurlTransport(trust: CertificateTrust { _ in nil }).transport,
                clock: .system, random: .system, sleep: sleep),
            credentials: .fixed(
                AWSCredentials(accessKeyID: key, secretAccessKey: SecretBytes(utf8: key))))
        let tables = try client.call(operation: "ListTables", body: [:])
        let table = try #require(tables["TableNames"]?.arrayValue?.first?.stringValue)
        let store = DynamoDBStore(
            table: table, clock: .system, random: .system, pause: sleep,
            call: DynamoDBCall(client))
        let master = try #require(MasterKey(SecretBytes(utf8: masterKey)))
        let services = MailServices(
            sealing: try AESGCMKey(master.mail), sender: FakeMailSystem().sender, delivery: .outbox)
        let kit = try AuthKit(store: store)
        let message = try services.prepare(mail, auth: kit.auth, at: WallClock.system.now())
        try store.write([message.write])
    }

    @Test func `a message of the outbox lands in the mailbox when the schedule fires`() throws {
        let deployed = try Self.deployed()
        let link = "https://app.example.com/verify?token=abcdef"
        try Self.leave(
            Mail(
                .verifyEmail, to: "ada@example.org", language: "de",
                values: ["link": link, "minutes": "30"]), in: deployed)
        let fired = try deployed.ask(
            .post, "/_emulator/schedules/HousekeepingFunctionEveryMinute", [:])
        expectEqual(fired.status, 200, "\(fired.body.text)")
        let mail = try deployed.ask(
            .get, "/_emulator/mail/wait?to=ada@example.org&timeoutSeconds=120")
        expectEqual(mail.status, 200, "\(mail.body.text)")
        #expect(mail.body.text.contains("Bestätigen Sie Ihre E-Mail-Adresse für Example"))
        #expect(mail.body.text.contains(link))
        expectEqual(deployed.denials, [])
        #expect(!deployed.emulator.log.contains("abcdef"))
        let again = try deployed.invoke("HousekeepingFunction", [:])
        expectEqual(again.body["jobs"]?["mail"]?["sent"], 0, "\(again.body.text)")
    }
}

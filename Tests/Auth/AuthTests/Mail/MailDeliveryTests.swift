import AuthTestSupport
import TestSupport

@Suite struct MailDeliveryTests {
    static let mail = Mail(
        .resetPassword, to: "ada@example.com", language: "de",
        values: ["link": "https://app.example.com/reset?token=SECRET"],
        expiresAt: Instant(seconds: 1_700_003_600))

    private static func rows(_ store: any KeyValueStore) throws -> [Item] {
        var rows: [Item] = []
        for shard in 0..<OutboxRecord.shards {
            rows += try store.query(OutboxRecord.query(shard: shard, limit: 100)).items
        }
        return rows
    }

    @Test func `a message is sent after the reply and its row is deleted`() throws {
        let kit = try AuthKit()
        let message = try kit.auth.mail.prepare(Self.mail, auth: kit.auth, at: kit.clock.now)
        try kit.store.write([message.write])
        message.deliver()
        #expect(kit.mail.mails.isEmpty)
        try expectEqual(Self.rows(kit.store).count, 1)

        kit.finishReply()
        expectEqual(kit.mail.mails, [Self.mail])
        #expect(try Self.rows(kit.store).isEmpty)
        kit.finishReply()
        expectEqual(kit.mail.mails.count, 1)
    }

    @Test func `with delivery by the outbox a request sends nothing`() throws {
        let kit = try AuthKit(mailDelivery: .outbox)
        let message = try kit.auth.mail.prepare(Self.mail, auth: kit.auth, at: kit.clock.now)
        try kit.store.write([message.write])
        message.deliver()
        kit.finishReply()
        #expect(kit.mail.mails.isEmpty)
        try expectEqual(OutboxRecord(Self.rows(kit.store)[0]).due, kit.clock.now)
    }

    @Test func `the row shows neither the address nor the link`() throws {
        let kit = try AuthKit()
        let message = try kit.auth.mail.prepare(Self.mail, auth: kit.auth, at: kit.clock.now)
        guard case .put(let item, _) = message.write else {
            Issue.record("not a put")
            return
        }
        for (_, value) in item.attributes {
            guard case .bytes(let bytes) = value else { continue }
            let text = String(decoding: bytes, as: UTF8.self)
            #expect(!text.contains("ada") && !text.contains("SECRET") && !text.contains("reset"))
        }
    }
}

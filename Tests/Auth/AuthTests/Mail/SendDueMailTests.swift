/// The outbox as a state machine: leases, retries, runs at the same time, crashes.
@Suite struct SendDueMailTests {
    static func mail(_ number: Int = 0, expiresAt: Instant? = nil) -> Mail {
        Mail(
            .magicLink, to: "ada\(number)@example.com", values: ["code": "123456"],
            expiresAt: expiresAt)
    }

    static func rows(_ store: any KeyValueStore) throws -> [OutboxRecord] {
        var rows: [OutboxRecord] = []
        for shard in 0..<OutboxRecord.shards {
            rows += try store.query(OutboxRecord.query(shard: shard, limit: 1000)).items
                .map { try OutboxRecord($0) }
        }
        return rows
    }

    /// Writes a message as an operation does, and returns the closure that delivers it.
    @discardableResult
    static func write(_ kit: AuthKit, _ mail: Mail = mail()) throws -> PreparedMail {
        let message = try kit.auth.mail.prepare(mail, auth: kit.auth, at: kit.clock.now)
        try kit.store.write([message.write])
        return message
    }

    @discardableResult
    static func run(_ kit: AuthKit, until deadline: Instant? = nil) throws -> [String: Int] {
        let reports = try kit.auth.housekeeping(until: deadline)
        return Dictionary(uniqueKeysWithValues: reports[0].counts.map { ($0.name, $0.count) })
    }

    @Test func `the row shows neither the address nor the link`() throws {
        let kit = try AuthKit()
        let mail = Mail(
            .resetPassword, to: "ada@example.com", language: "de",
            values: ["link": "https://app.example.com/reset?token=SECRET"],
            expiresAt: kit.clock.now + .hours(1))
        let message = try kit.auth.mail.prepare(mail, auth: kit.auth, at: kit.clock.now)
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

    @Test func `pauses grow, and the last failure drops the message`() throws {
        let kit = try AuthKit()
        kit.mail.fail(.refused)
        try Self.write(kit).deliver()
        kit.finishReply()
        var pauses: [Span] = []
        while let row = try Self.rows(kit.store).first {
            pauses.append(row.due - kit.clock.now)
            kit.clock.advance(by: row.due - kit.clock.now - .milliseconds(1))
            try expectEqual(Self.run(kit)["failed"], 0)
            kit.clock.advance(by: .milliseconds(1))
            try Self.run(kit)
        }
        expectEqual(pauses, OutboxSchedule.pauses)
        expectEqual(kit.mail.outcomes.count, 8)
        expectEqual(kit.mail.outcomes.last, .dropped(.magicLink, .attemptsExhausted))
        #expect(kit.clock.now - Instant(seconds: 1_700_000_000) < .days(1))
    }

    @Test func `a message is not sent once its link has expired`() throws {
        let kit = try AuthKit()
        kit.mail.fail(.unavailable)
        try Self.write(kit, Self.mail(expiresAt: kit.clock.now + .minutes(3))).deliver()
        kit.finishReply()
        kit.clock.advance(by: .minutes(1))
        try Self.run(kit)
        try expectEqual(Self.rows(kit.store).map(\.due), [kit.clock.now + .minutes(2)])
        kit.mail.fail(nil)
        kit.clock.advance(by: .minutes(2))
        try expectEqual(Self.run(kit)["dropped"], 1)
        #expect(kit.mail.mails.isEmpty)
        expectEqual(kit.mail.outcomes.last, .dropped(.magicLink, .expired))
        #expect(try Self.rows(kit.store).isEmpty)
    }

    @Test func `a row that is never collected expires`() throws {
        let kit = try AuthKit()
        try Self.write(kit)
        kit.clock.advance(by: .days(2))
        #expect(try Self.rows(kit.store).isEmpty)
    }

    @Test(arguments: [MailFailure.addressRejected, .notRenderable])
    func `a permanent failure is not tried again`(_ failure: MailFailure) throws {
        let kit = try AuthKit()
        kit.mail.fail(failure)
        try Self.write(kit).deliver()
        kit.finishReply()
        #expect(try Self.rows(kit.store).isEmpty)
        expectEqual(kit.mail.outcomes.count, 1)
    }

    @Test func `a message sent just before a crash is sent again after a pause`() throws {
        let memory = MemoryStore(clock: TestClock().wall)
        let store = FaultyStore(memory)
        let kit = try AuthKit(store: store)
        try Self.write(kit).deliver()
        store.goDown()
        kit.finishReply()
        store.comeBack()
        expectEqual(kit.mail.mails.count, 1)
        kit.clock.advance(by: .seconds(59))
        try Self.run(kit)
        expectEqual(kit.mail.mails.count, 1)
        kit.clock.advance(by: .seconds(1))
        try Self.run(kit)
        expectEqual(kit.mail.mails.count, 2)
        // So that a mail client or system can recognise it as the same message.
        expectEqual(kit.mail.ids[0], kit.mail.ids[1])
        #expect(try Self.rows(memory).isEmpty)
    }

    @Test func `a request that was suspended past its lease sends nothing`() throws {
        let kit = try AuthKit()
        try Self.write(kit).deliver()
        kit.clock.advance(by: .seconds(55))
        kit.finishReply()
        #expect(kit.mail.mails.isEmpty)
    }

    @Test func `a request does not send messages without enough time left`() throws {
        let kit = try AuthKit()
        try Self.write(kit).deliver()
        kit.auth.afterReply.run(until: kit.clock.now + .milliseconds(1400))
        #expect(kit.mail.mails.isEmpty)
        try Self.write(kit).deliver()
        kit.auth.afterReply.run(until: kit.clock.now + .milliseconds(1500))
        expectEqual(kit.mail.mails.count, 1)
    }

    @Test func `a run ends before the invocation does`() throws {
        let kit = try AuthKit(mailDelivery: .outbox)
        for number in 0..<5 { try Self.write(kit, Self.mail(number)) }
        try expectEqual(Self.run(kit, until: kit.clock.now + .seconds(11))["sent"], 0)
        try expectEqual(Self.run(kit, until: kit.clock.now + .seconds(12))["sent"], 5)
    }

    @Test func `an outage of the mail system costs most messages no attempt`() throws {
        let kit = try AuthKit(mailDelivery: .outbox)
        for number in 0..<50 { try Self.write(kit, Self.mail(number)) }
        kit.mail.fail(.unavailable)
        try expectEqual(Self.run(kit)["failed"], 3)
        try expectEqual(Self.rows(kit.store).count { $0.attempts == 0 }, 47)
        kit.mail.fail(nil)
        try expectEqual(Self.run(kit)["sent"], 47)
        kit.clock.advance(by: .minutes(1))
        try expectEqual(Self.run(kit)["sent"], 3)
    }

    @Test func `a row of another master key waits and is dropped in the end`() throws {
        let clock = TestClock()
        let store = MemoryStore(clock: clock.wall)
        let other = try AuthKit(clock: clock, store: store, secret: 8, mailDelivery: .outbox)
        let kit = try AuthKit(clock: clock, store: store, mailDelivery: .outbox)
        try Self.write(other)
        try expectEqual(Self.run(kit)["failed"], 1)
        expectEqual(kit.mail.outcomes, [.failed(nil, attempt: 1, .unreadable)])
        clock.advance(by: .minutes(1))
        try expectEqual(Self.run(other)["sent"], 1)
        expectEqual(other.mail.mails, [Self.mail()])
    }

    @Test func `if the store fails, the run fails and loses nothing`() throws {
        let clock = TestClock()
        let store = FaultyStore(MemoryStore(clock: clock.wall))
        let kit = try AuthKit(clock: clock, store: store, mailDelivery: .outbox)
        try Self.write(kit)
        store.goDown()
        expectError(.unavailable(.store)) { try Self.run(kit) }
        store.comeBack()
        try expectEqual(Self.run(kit)["sent"], 1)
    }
}

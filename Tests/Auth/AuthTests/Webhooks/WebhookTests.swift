/// Events of the audit log as other servers are sent them.
@Suite("Webhooks") struct WebhookTests {
    let receiver = FakeWebhookReceiver()

    private func kit(
        _ receivers: [WebhookReceiver] = [.all], secrets: [WebhookSecret]? = nil,
        store: (any KeyValueStore)? = nil, clock: TestClock = TestClock()
    ) throws -> AuthKit {
        try AuthKit(
            policy: .passwords(.immediate), clock: clock,
            store: store ?? MemoryStore(clock: clock.wall),
            webhooks: receiver.services(
                receivers, secrets: secrets ?? [FakeWebhookReceiver.secret]))
    }

    @discardableResult
    private func housekeeping(_ kit: AuthKit) throws -> [String: Int] {
        let reports = try kit.auth.housekeeping([.sendDueWebhooks], until: nil)
        return Dictionary(uniqueKeysWithValues: reports[0].counts.map { ($0.name, $0.count) })
    }

    private func rows(_ kit: AuthKit) throws -> [DueWebhooks] {
        try (0..<DueWebhooks.shards).flatMap {
            try kit.store.query(DueWebhooks.query(shard: $0, limit: 1000)).items
                .map { try DueWebhooks($0) }
        }
    }

    private func queued(_ kit: AuthKit, _ user: User) throws -> [Item] {
        let queue = WebhookQueue(receiver: "all", chain: .account(user.id))
        return try kit.store.query(queue.query(limit: 100)).items
    }

    // MARK: Messages

    @Test func `an event is sent after the reply`() throws {
        let kit = try kit()
        let user = try kit.account()
        #expect(receiver.received.isEmpty)
        kit.finishReply()
        expectEqual(receiver.types, ["accountCreated"])
        expectEqual(receiver.received[0].user, user.id.text)
        expectEqual(receiver.received[0].url, "https://log.example.com/events")
        expectEqual(receiver.outcomes, [.sent(.all, event: "accountCreated")])
        #expect(try rows(kit).isEmpty && queued(kit, user).isEmpty)
    }

    /// The example of the specification of Standard Webhooks, with its secret.
    @Test func `messages are signed according to the specification`() throws {
        let text = SecretBytes(Array("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw".utf8))
        let secret = try #require(WebhookSecret(text))
        expectEqual(
            secret.signature(
                of: Array("{\"test\": 2432232314}".utf8), id: "msg_p5jXN8AQM9LWM0D4loKWxJek",
                seconds: 1_614_265_330), "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=")

        let kit = try kit(secrets: [secret, FakeWebhookReceiver.secret])
        try kit.account()
        kit.finishReply()
        let message = try #require(receiver.received.first).message
        let content = Array("\(message.id).\(message.timestamp).".utf8) + message.body
        let keys = [
            try #require(Base64.decode("MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw")),
            FakeWebhookReceiver.key,
        ]
        expectEqual(
            message.signature,
            keys.map {
                "v1," + Base64.encode(HMAC.sha256(content, key: SecretBytes($0)))
            }.joined(separator: " "))
        expectEqual(message.timestamp, kit.clock.now.seconds)
    }

    @Test func `a receiver gets only the events that it is subscribed to`() throws {
        let kit = try kit([.only(.signedIn), .all])
        try kit.account()
        _ = try kit.logIn()
        kit.finishReply()
        let urls = receiver.received.map { "\($0.type) \($0.url)" }
        expectEqual(
            Set(urls),
            [
                "accountCreated https://log.example.com/events",
                "signedIn https://log.example.com/events",
                "signedIn https://app.example.com/events",
            ])
        expectEqual(urls.count, 3)
    }

    @Test func `nothing is written for events without subscribers`() throws {
        let kit = try kit([.only(.accountDeleted)])
        try kit.account()
        #expect(try rows(kit).isEmpty)
    }

    // MARK: Retries

    @Test func `a process without the secret leaves events to housekeeping`() throws {
        let writer = try kit(secrets: [])
        let user = try writer.account()
        writer.finishReply()
        #expect(receiver.received.isEmpty && writer.auth.policy.limits.isEmpty)
        try expectEqual(queued(writer, user).count, 1)
        let kit = try kit(store: writer.store, clock: writer.clock)
        try expectEqual(housekeeping(kit)["sent"], 1)
        expectEqual(receiver.types, ["accountCreated"])
        #expect(try queued(kit, user).isEmpty)
    }

    @Test func `pauses grow, and after three days an event is given up`() throws {
        let kit = try kit()
        receiver.fail(.refused(status: 500))
        let user = try kit.account()
        kit.finishReply()
        var pauses: [Span] = []
        let start = kit.clock.now
        while let row = try rows(kit).first {
            pauses.append(row.due - kit.clock.now)
            kit.clock.advance(by: row.due - kit.clock.now)
            try housekeeping(kit)
        }
        expectEqual(pauses.prefix(4), [.seconds(5), .minutes(5), .minutes(30), .hours(2)])
        #expect(zip(pauses, pauses.dropFirst()).allSatisfy { $0 <= $1 })
        #expect((.days(3)...(.days(4))).contains(kit.clock.now - start))
        expectEqual(receiver.outcomes.last, .dead(.all, event: "accountCreated"))
        #expect(try queued(kit, user).isEmpty)
        // The next ones are sent.
        receiver.fail(nil)
        _ = try kit.logIn()
        kit.finishReply()
        expectEqual(receiver.types, ["signedIn"])
    }

    @Test func `an administrator has a dead event sent again`() throws {
        let kit = try kit([.only(.accountCreated)])
        receiver.fail(.unavailable(problem: "timedOut"))
        let user = try kit.account()
        kit.finishReply()
        kit.clock.advance(by: .days(3))
        try housekeeping(kit)
        let dead = try kit.auth.listDeadWebhooks(limit: 10, after: nil)
        let listed = try #require(dead.webhooks.first)
        #expect(dead.webhooks.count == 1 && dead.next == nil)
        for position in ["", "\u{0}", String(repeating: "9", count: 65)] {
            try expectEqual(kit.auth.listDeadWebhooks(limit: 10, after: position), dead)
        }
        #expect(try kit.auth.listDeadWebhooks(limit: 10, after: listed.id).webhooks.isEmpty)
        #expect(listed.event?.event == "accountCreated" && listed.event?.user == user.id)
        expectEqual(listed.url, "https://app.example.com/events")
        expectEqual(listed.diedAt, kit.clock.now)

        func resend(_ id: String) throws -> Bool {
            try kit.auth.resendWebhook(id, by: .password, Caller())
        }
        #expect(try !resend("unknown") && !resend("") && !resend(String(repeating: "x", count: 99)))
        #expect(try resend(listed.id))
        #expect(try !resend(listed.id))
        try expectEqual(kit.audit(in: .administration), ["webhookResent"])
        // It is tried for another three days.
        try housekeeping(kit)
        #expect(try kit.auth.listDeadWebhooks(limit: 10, after: nil).webhooks.isEmpty)
        receiver.fail(nil)
        kit.clock.advance(by: .minutes(10))
        try housekeeping(kit)
        expectEqual(receiver.types, ["accountCreated"])
    }

    @Test func `two runs do not send an event twice`() throws {
        let kit = try kit()
        try kit.account()
        kit.clock.advance(by: .minutes(2))
        let other = try self.kit(store: kit.store, clock: kit.clock)
        receiver.whileSending {
            self.receiver.whileSending {}
            _ = try? self.housekeeping(other)
        }
        try housekeeping(kit)
        expectEqual(receiver.types, ["accountCreated"])
        kit.clock.advance(by: .days(1))
        try housekeeping(kit)
        #expect(try rows(kit).isEmpty)
    }

    /// Its own function finds that a run has the queue, and moves its row to where the run has one.
    @Test func `an event added just after its queue was empty is not lost`() throws {
        let clock = TestClock()
        let store = FaultyStore(MemoryStore(clock: clock.wall))
        let kit = try kit(store: store, clock: clock)
        try kit.account()
        kit.clock.advance(by: .minutes(2))
        store.setFate { call in
            guard case .write(let writes) = call, writes.count == 2,
                writes.allSatisfy({ if case .delete = $0 { true } else { false } })
            else { return .fine }
            store.comeBack()
            _ = try? kit.logIn()
            kit.finishReply()
            return .fine
        }
        try housekeeping(kit)
        expectEqual(receiver.types, ["accountCreated"])
        kit.clock.advance(by: .minutes(2))
        try housekeeping(kit)
        expectEqual(receiver.types, ["accountCreated", "signedIn"])
        #expect(try rows(kit).isEmpty)
    }

    @Test func `a run stops after three failed attempts at one receiver`() throws {
        let kit = try kit(secrets: [])
        for number in 0..<10 { try kit.account("user\(number)@example.com") }
        receiver.fail(.unavailable(problem: "timedOut"))
        let sender = try self.kit(store: kit.store, clock: kit.clock)
        try expectEqual(housekeeping(sender)["failed"], 3)
        receiver.fail(nil)
        kit.clock.advance(by: .seconds(5))
        try expectEqual(housekeeping(sender)["sent"], 10)
        expectEqual(receiver.types.count, 10)
    }

    @Test func `events of a receiver that is no longer configured are dropped`() throws {
        let kit = try kit(secrets: [])
        let user = try kit.account()
        let sender = try self.kit([.only(.signedIn)], store: kit.store, clock: kit.clock)
        try expectEqual(housekeeping(sender)["dropped"], 1)
        #expect(try rows(kit).isEmpty && queued(kit, user).isEmpty)
    }
}

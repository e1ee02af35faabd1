/// Every kind of tampering by an attacker who can write the table but does not have the key.
@Suite("Audit chains") struct AuditChainTests {
    private let kit: AuthKit
    private let user: UserID
    private var chain: AuditChain { .account(user) }

    init() throws {
        kit = try AuthKit()
        user = try kit.session().user.id
        for _ in 0..<4 {
            kit.clock.advance(by: .minutes(1))
            _ = try kit.session()
        }
    }

    private func items() throws -> [Item] { try kit.auditItems(in: chain) }

    private func findings(_ chain: AuditChain? = nil) throws -> [AuditFinding] {
        let chain = chain ?? self.chain
        let head = try kit.store.get(chain.headKey).map(AuditHead.init(_:))
        var walk = AuditWalk(chain, head, kit.auditKeys)
        for item in try kit.auditItems(in: chain).reversed() { walk.take(item) }
        walk.finish(at: kit.clock.now)
        return walk.findings
    }

    private func found(
        _ defect: AuditFinding.Defect, _ first: Int64, _ last: Int64? = nil
    ) -> AuditFinding {
        AuditFinding(chain.name, defect, first, last)
    }

    @Test func `an untouched chain has no findings`() throws {
        try expectEqual(items().count, 5)
        try expectEqual(findings(), [])
        try expectEqual(kit.audit(of: user).first, "accountCreated")
    }

    @Test func `every field of an event is protected`() throws {
        let item = try items()[2]
        let record = try AuditRecord(item)
        #expect(item.attributes.count >= 9)
        for (name, value) in item.attributes {
            var changed = item
            switch value {
            case .text(let text): changed.attributes[name] = .text(text + "x")
            case .integer(let number): changed.attributes[name] = .integer(number + 1)
            case .bytes(let bytes): changed.attributes[name] = .bytes(bytes.map { $0 ^ 1 })
            case .flag(let flag): changed.attributes[name] = .flag(!flag)
            }
            try kit.store.write([.put(changed, when: [])])
            #expect(try findings().contains(found(.changed, record.sequence)), "\(name)")
            changed.attributes[name] = nil
            try kit.store.write([.put(changed, when: [])])
            #expect(try findings().contains(found(.changed, record.sequence)), "\(name) removed")
        }
        var added = item
        added.attributes["by"] = .text("password")
        try kit.store.write([.put(added, when: [])])
        try expectEqual(findings(), [found(.changed, 3)])
        var prolonged = item
        prolonged.expiresAt = item.expiresAt.map { $0 + .days(1) }
        try kit.store.write([.put(prolonged, when: [])])
        try expectEqual(findings(), [found(.changed, 3)])
        try kit.store.write([.put(item, when: [])])
        try expectEqual(findings(), [])
    }

    @Test(arguments: 0..<5) func `a removed event is detected at any position`(index: Int) throws {
        try kit.store.write([.delete(try items()[index].key, when: [.present])])
        let number = Int64(index + 1)
        try expectEqual(findings(), [found(.missing, number)])
    }

    @Test func `several removed events are reported as one`() throws {
        for item in try items()[1...3] { try kit.store.write([.delete(item.key, when: [])]) }
        try expectEqual(findings(), [found(.missing, 2, 4)])
    }

    @Test func `swapped events are detected`() throws {
        let items = try items()
        try kit.store.write([
            .put(Item(items[1].key, items[2].attributes, expiresAt: items[1].expiresAt), when: []),
            .put(Item(items[2].key, items[1].attributes, expiresAt: items[2].expiresAt), when: []),
        ])
        try expectEqual(Set(findings().map(\.first)), [2, 3])
    }

    @Test func `an inserted event is detected`() throws {
        let items = try items()
        let copy = StoreLayout.audit(
            chain.partition, sequence: 3, id: UUIDText(random: .seeded(99)))
        try kit.store.write([
            .put(Item(copy, items[2].attributes, expiresAt: items[2].expiresAt), when: [])
        ])
        let findings = try findings()
        #expect(findings.contains { $0.defect == .repeated && $0.first == 3 }, "\(findings)")
    }

    @Test func `an event made with another key is detected`() throws {
        let head = try #require(try kit.store.get(chain.headKey).map(AuditHead.init(_:)))
        let forged = AuditRecord(
            AuditEntry(
                id: UUIDText(random: .seeded(5)), .signedIn, user: user, address: nil,
                userAgent: nil, at: kit.clock.now),
            after: head, of: chain, AuditKeys(SecretBytes([UInt8](repeating: 1, count: 32))))
        try kit.store.write([forged.write(of: chain), forged.head.replacing(head, of: chain)])
        try expectEqual(findings(), [found(.changed, 6)])
    }

    @Test func `a chain that was moved to another account is detected`() throws {
        let other = try kit.session(of: "other").user.id
        let mine = AuditChain.account(other)
        for item in try kit.auditItems(in: mine) {
            try kit.store.write([.delete(item.key, when: [])])
        }
        for item in try items() {
            let key = ItemKey(mine.partition, item.key.sort)
            try kit.store.write([
                .put(Item(key, item.attributes, expiresAt: item.expiresAt), when: [])
            ])
        }
        let head = try #require(try kit.store.get(chain.headKey))
        try kit.store.write([
            .put(Item(mine.headKey, head.attributes, expiresAt: head.expiresAt), when: [])
        ])
        try expectEqual(findings(mine).map(\.defect), Array(repeating: .changed, count: 5))
    }

    @Test func `a removed or restored head is detected`() throws {
        let items = try items()
        let head = try #require(try kit.store.get(chain.headKey))
        try kit.store.write([.delete(chain.headKey, when: [])])
        try expectEqual(findings(), [found(.headMissing, 5)])

        let earlier = try AuditRecord(items[2]).head.replacing(nil, of: chain)
        try kit.store.write([earlier])
        try expectEqual(findings(), [found(.beyondHead, 5), found(.beyondHead, 4)])
        // Events that functions add afterwards do not hide it.
        kit.clock.advance(by: .minutes(1))
        _ = try kit.session()
        #expect(try !findings().isEmpty)
        try kit.store.write([.put(head, when: [])])
        #expect(try !findings().isEmpty)
    }

    @Test func `events that have expired are not missing`() throws {
        kit.clock.advance(by: AuditChain.retentionMax + .seconds(-150))
        try expectEqual(items().count, 3)
        try expectEqual(findings(), [])
        // An event that has not expired is missing.
        try kit.store.write([.delete(try items()[0].key, when: [.present])])
        try expectEqual(findings(), [found(.missing, 1, 3)])
        kit.clock.advance(by: .minutes(3))
        #expect(try items().isEmpty)
        try expectEqual(findings(), [])
        // The head outlives its last event, and then the chain begins again.
        _ = try kit.session()
        try expectEqual(AuditRecord(try #require(try items().first)).sequence, 6)
        kit.clock.advance(by: AuditChain.retentionMax + .days(2))
        _ = try kit.session()
        try expectEqual(AuditRecord(try #require(try items().first)).sequence, 1)
        try expectEqual(findings(), [])
    }

    /// Each failure with another address starts another chain.
    @Test func `anonymous events are kept for two weeks, and their head a day longer`() throws {
        let kit = try AuthKit(policy: .passwords(.immediate))
        let user = try kit.account()
        let address = try kit.email("nobody@example.com")
        for email in ["ada@example.com", "nobody@example.com"] {
            _ = kit.error { _ = try kit.logIn(email, "wrong horse") }
        }
        func expiries(_ chain: AuditChain) throws -> [Instant?] {
            let head = try kit.store.get(chain.headKey)
            return try kit.auditItems(in: chain).map(\.expiresAt) + [head?.expiresAt]
        }
        let now = kit.clock.now
        try expectEqual(expiries(.email(address)), [now + .days(14), now + .days(15)])
        try expectEqual(expiries(.attempts(on: user.id)), [now + .days(90), now + .days(91)])
        expectEqual(AuditChain.network(nil).retention, .days(14))
        for chain in [AuditChain.administrationAttempts, .mail, .account(user.id)] {
            expectEqual(chain.retention, .days(90))
        }
    }

    @Test func `events expire in order, even if a clock goes back`() throws {
        kit.clock.advance(by: .hours(-2))
        _ = try kit.session()
        let items = try items()
        let expiries = items.compactMap(\.expiresAt)
        #expect(expiries.count == 6 && expiries == expiries.sorted())
        try expectEqual(findings(), [])
    }

    @Test func `a flood of failures does not delay the owner's sign-in`() throws {
        let faulty = FaultyStore(MemoryStore(clock: kit.clock.wall))
        let kit = try AuthKit(policy: .passwords(.immediate), clock: kit.clock, store: faulty)
        let user = try kit.account()
        let rival = try AuthKit(
            policy: .passwords(.immediate), clock: kit.clock, store: faulty, seed: 2)
        // A failed attempt precedes each write of the owner.
        faulty.beforeNextWrite {
            _ = rival.error { _ = try rival.logIn("ada@example.com", "wrong password") }
        }
        faulty.forgetCalls()
        _ = try kit.logIn("ada@example.com", AuthKit.password)
        try expectEqual(kit.audit(of: user.id), ["accountCreated", "signedIn"])
        try expectEqual(kit.audit(in: .attempts(on: user.id)), ["signInFailed"])
        let writes = faulty.calls.filter { if case .write = $0 { true } else { false } }
        // One write of the attacker, and no retry of the owner's.
        expectEqual(writes.count, 2)
    }

    @Test func `an event has its actor, action, origin and outcome`() throws {
        let kit = try AuthKit(policy: .passwords(.immediate))
        let user = try kit.account()
        let caller = Caller(address: "192.0.2.7", userAgent: "Example/1.0")
        let email = try kit.email("ada@example.com")
        _ = kit.error {
            _ = try kit.auth.logIn(LogIn.Input(email: email, password: "wrong"), caller)
        }
        let item = try #require(try kit.auditItems(in: .attempts(on: user.id)).first)
        let entry = try AuditRecord(item).entry
        #expect(entry.user == user.id && entry.event == "signInFailed" && !entry.succeeded)
        #expect(entry.address == "192.0.2.7" && entry.userAgent == "Example/1.0")
        #expect(entry.detail == "wrongCredentials" && entry.at == kit.clock.now)
        for name in ["nobody@example.com", "NOBODY@example.com"] {
            _ = kit.error { _ = try kit.logIn(name, "wrong password") }
        }
        let unknown = try kit.auditItems(in: .email(try kit.email("nobody@example.com")))
        expectEqual(unknown.count, 2)
        // No e-mail address, known or not, is in any row of the log.
        for row in unknown + [item] {
            #expect(!"\(row)".lowercased().contains("nobody"))
            #expect(!"\(row)".contains("ada@example.com"))
            try expectEqual(AuditRecord(row).entry.user, row == item ? user.id : nil)
        }
    }
}

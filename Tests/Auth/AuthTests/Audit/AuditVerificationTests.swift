@Suite("Audit verification") struct AuditVerificationTests {
    private let kit: AuthKit
    private let users: [UserID]

    init() throws {
        kit = try AuthKit(
            policy: Policy.testing.with {
                $0.accounts = AccountPolicy(followsProvider: true, isListed: true)
            })
        let kit = kit
        users = try (0..<5).map { try kit.session(of: "user \($0)").user.id }
        for user in 0..<5 { _ = try kit.session(of: "user \(user)") }
        _ = try kit.auth.adminLogin(password: "open sesame", Caller())
        _ = try? kit.auth.adminLogin(password: "wrong", Caller())
    }

    private func verify() throws -> VerifyAudit.Report {
        try kit.auth.verifyAudit(after: nil, until: nil)
    }

    @Test func `every chain is verified as intact`() throws {
        let report = try verify()
        #expect(report.chains == 7 && report.events == 12 && report.findings == [])
        #expect(report.heads.count == 7 && report.next == nil)
        #expect(Set(report.heads.map(\.chain)).contains("ADMINISTRATION#ATTEMPTS"))
    }

    @Test func `a broken chain is reported, and the others are still verified`() throws {
        let chain = AuditChain.account(users[3])
        try kit.store.write([.delete(try kit.auditItems(in: chain)[0].key, when: [.present])])
        let report = try verify()
        expectEqual(report.findings, [AuditFinding(chain.name, .missing, 1)])
        expectEqual(report.chains, 7)
    }

    /// Chains of every kind, in a contract that lists no accounts.
    private static let chains: [AuditChain] = {
        let user = UserID(random: .system)
        return [
            .account(user), .attempts(on: user), .email(digest: [UInt8](repeating: 1, count: 32)),
            .network(digest: [UInt8](repeating: 2, count: 32)), .administration,
            .administrationAttempts, .mail,
        ]
    }()

    @Test(arguments: chains)
    func `a changed event is detected even if its chain has no head`(chain: AuditChain) throws {
        let kit = try AuthKit(policy: .testing)
        for other in Self.chains { try kit.append(3, to: other) }
        let whole = try kit.auth.verifyAudit(after: nil, until: nil)
        #expect(whole.findings == [] && whole.chains == 7 && whole.events == 21)
        var event = try #require(try kit.auditItems(in: chain).dropFirst().first)
        event.attributes["detail"] = .text("forged")
        try kit.store.write([.put(event, when: []), .delete(chain.headKey, when: [.present])])
        let report = try kit.auth.verifyAudit(after: nil, until: nil)
        expectEqual(
            report.findings,
            [AuditFinding(chain.name, .headMissing, 3), AuditFinding(chain.name, .changed, 2)])
        #expect(report.chains == 7 && report.events == 21)
        // Also in a run that starts after the heads.
        let rest = try kit.auth.verifyAudit(after: "events", until: nil)
        #expect(rest.findings == report.findings && rest.chains == 1)
    }

    @Test func `chains without a head are detected over several calls`() throws {
        let kit = try AuthKit(policy: .testing)
        let count = VerifyAudit.chainsMax + 101
        for _ in 0..<count {
            let chain = AuditChain.account(UserID(random: .system))
            try kit.append(1, to: chain)
            try kit.store.write([.delete(chain.headKey, when: [.present])])
        }
        var chains: [String] = []
        var after: String?
        for _ in 0..<3 {
            let report = try kit.auth.verifyAudit(after: after, until: nil)
            chains += report.findings.map(\.chain)
            after = report.next
            guard after != nil else { break }
        }
        #expect(after == nil && chains.count == count && Set(chains).count == count)
        // An invalid position starts with the first chain.
        for place in ["events|", "events|x", "events|!|!", "events|QQ|"] {
            let report = try kit.auth.verifyAudit(after: place, until: nil)
            expectEqual(report.chains, VerifyAudit.chainsMax, "\(place)")
        }
    }

    @Test func `chains whose events have all expired are not reported`() throws {
        kit.clock.advance(by: AuditChain.retentionMax + .days(2))
        let report = try verify()
        #expect(report.chains == 0 && report.events == 0 && report.findings == [])
    }

    @Test func `an account whose head was removed is detected`() throws {
        let chain = AuditChain.account(users[2])
        try kit.store.write([.delete(chain.headKey, when: [.present])])
        try expectEqual(verify().findings, [AuditFinding(chain.name, .headMissing, 2)])
        // An unreadable head does not hide its chain either.
        try kit.store.write([.put(Item(chain.headKey, ["sequence": .integer(9)]), when: [])])
        #expect(try verify().findings.contains(AuditFinding(chain.name, .headUnreadable, 0)))
    }

    @Test func `a rollback is detected with a saved head`() throws {
        let chain = AuditChain.account(users[1])
        let earlier = try #require(try kit.store.get(chain.headKey))
        _ = try kit.session(of: "user 1")
        let anchors = try verify().heads
        try expectEqual(kit.auth.verifyAudit(anchors: anchors).findings, [])
        // The newest event is removed, and the earlier head restored.
        let newest = try #require(try kit.auditItems(in: chain).last)
        try kit.store.write([.delete(newest.key, when: [.present]), .put(earlier, when: [])])
        try expectEqual(verify().findings, [])
        let expected = AuditFinding(chain.name, .anchorMissing, 3)
        try expectEqual(kit.auth.verifyAudit(anchors: anchors).findings, [expected])
        // The next event takes the number, and has another link.
        _ = try kit.session(of: "user 1")
        try expectEqual(kit.auth.verifyAudit(anchors: anchors).findings, [expected])
        // Expired events are not missing.
        kit.clock.advance(by: AuditChain.retentionMax)
        try expectEqual(kit.auth.verifyAudit(anchors: anchors).findings, [])
    }

    @Test func `an interrupted run continues where it stopped`() throws {
        var chains: Set<String> = []
        var after: String?
        var calls = 0
        repeat {
            // The time ends at once, so each call makes the minimum progress.
            let report = try kit.auth.verifyAudit(after: after, until: kit.clock.now)
            expectEqual(report.chains, 0)
            let whole = try kit.auth.verifyAudit(after: report.next, until: nil)
            chains.formUnion(whole.heads.map(\.chain))
            after = whole.next
            calls += 1
        } while after != nil && calls < 10
        expectEqual(chains.count, 7)
    }

    @Test func `a user's events are one paged list, newest first`() throws {
        let kit = try AuthKit(policy: .passwords(.immediate))
        let user = try kit.account()
        for index in 0..<7 {
            kit.clock.advance(by: .seconds(1))
            if index.isMultiple(of: 2) {
                _ = kit.error { _ = try kit.logIn("ada@example.com", "wrong password") }
            } else {
                _ = try kit.logIn()
            }
        }
        var events: [AuditEntry] = []
        var after: String?
        var sizes: [Int] = []
        repeat {
            let page = try kit.auth.listAudit(of: user.id, limit: 3, after: after)
            events += page.entries
            sizes.append(page.entries.count)
            after = page.next
        } while after != nil && sizes.count < 10
        expectEqual(sizes, [3, 3, 2])
        expectEqual(
            events.map(\.event),
            [
                "signInFailed", "signedIn", "signInFailed", "signedIn", "signInFailed", "signedIn",
                "signInFailed", "accountCreated",
            ])
        expectEqual(events.map(\.at), events.map(\.at).sorted(by: >))
        expectEqual(Set(events.map(\.id)).count, 8)
        // A cursor of another list, or an invalid one, starts at the first page.
        for cursor in ["x", "a,b", "9223372036854775806#x,y"] {
            let page = try kit.auth.listAudit(of: user.id, limit: 3, after: cursor)
            expectEqual(page.entries.count, 3, "\(cursor)")
        }
    }

    @Test func `refreshes are recorded where the policy says so`() throws {
        for isOn in [true, false] {
            let kit = try AuthKit(policy: Policy.testing.with { $0.audit.recordsRefreshes = isOn })
            let tokens = try kit.session()
            let next = try kit.refresh(tokens)
            try kit.signOut(next, .session)
            _ = try? kit.refresh(next)
            let user = tokens.user.id
            let refreshed = isOn ? ["refreshed"] : []
            try expectEqual(kit.audit(of: user), ["accountCreated"] + refreshed + ["signedOut"])
            let failed = try kit.auditItems(in: .attempts(on: user)).map {
                try AuditRecord($0).entry
            }
            expectEqual(failed.map(\.event), isOn ? ["refreshFailed"] : [])
            expectEqual(failed.map(\.detail), isOn ? ["sessionEnded"] : [])
        }
    }
}

extension AuthKit {
    /// Events of a chain that has none yet.
    fileprivate func append(_ count: Int, to chain: AuditChain) throws {
        var head: AuditHead?
        for _ in 0..<count {
            let entry = AuditEntry(
                id: UUIDText(random: auth.random), .signInFailed, user: chain.user, address: nil,
                userAgent: nil, at: clock.now)
            let record = AuditRecord(entry, after: head, of: chain, auditKeys)
            try store.write([record.write(of: chain), record.head.replacing(head, of: chain)])
            head = record.head
        }
    }
}

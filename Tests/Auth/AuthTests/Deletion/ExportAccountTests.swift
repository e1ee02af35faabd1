@Suite("Export account") struct ExportAccountTests {
    let deletion: DeletionKit

    init() throws { deletion = try DeletionKit() }

    private func export(_ tokens: SessionTokens, after: String? = nil) throws -> AccountExport {
        try deletion.kit.auth.exportAccount(
            after: after, Caller(bearerText: tokens.access.reveal()))
    }

    @Test func `the export is complete, and contains no data of other accounts`() throws {
        let tokens = try deletion.fullAccount()
        let other = try deletion.kit.session(of: "002")
        let export = try export(tokens)
        expectEqual(export.user, try deletion.kit.user(tokens.user.id))
        expectEqual(export.sessions.count, 2)
        expectEqual(export.currentSession, tokens.session)
        #expect(export.hasPassword && export.providerTokens == ["apple"])
        expectEqual(export.events.map(\.event).sorted(), ["accountCreated", "signedIn"])
        #expect(export.events.allSatisfy { $0.at == deletion.clock.now })
        expectEqual(export.next, nil)
        let theirs = try self.export(other)
        #expect(theirs.user.id == other.user.id && theirs.sessions.count == 1)
        #expect(!theirs.hasPassword && theirs.providerTokens.isEmpty)
        expectEqual(theirs.events.map(\.event), ["accountCreated"])
    }

    @Test func `events come in pages, the newest first`() throws {
        let tokens = try deletion.kit.session(of: "001")
        let chain = AuditChain.account(tokens.user.id)
        var head = try deletion.memory.get(chain.headKey).map { try AuditHead($0) }
        for _ in 0..<2100 {
            deletion.clock.advance(by: .milliseconds(1))
            let entry = AuditEntry(
                id: UUIDText(random: deletion.kit.auth.random), .signedIn, user: tokens.user.id,
                session: tokens.session, address: "192.0.2.1", userAgent: nil,
                at: deletion.clock.now)
            let record = AuditRecord(entry, after: head, of: chain, try deletion.kit.auth.auditKeys)
            try deletion.memory.write([record.write(of: chain)])
            head = record.head
        }
        var pages: [AccountExport] = [try export(tokens)]
        while let next = pages.last?.next {
            pages.append(try export(tokens, after: next))
            try #require(pages.count < 9)
        }
        expectEqual(pages.map(\.events.count), [1000, 1000, 101])
        let times = pages.flatMap(\.events).map(\.at)
        #expect(times == times.sorted(by: >) && Set(times).count == 2101)
        expectEqual(pages[0].events.first?.address, "192.0.2.1")
        expectEqual(pages[0].events.first?.session, tokens.session)
    }

    @Test(arguments: ["", "\u{0}", "AUDIT#1", "zzz", String(repeating: "9", count: 5000)])
    func `any text is accepted as a position in the list`(after: String) throws {
        let tokens = try deletion.kit.session(of: "001")
        try expectEqual(export(tokens, after: after).events.count, 1)
    }
}

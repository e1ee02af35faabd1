/// The audit heads that housekeeping writes to the log.
@Suite("Audit heads in the log") struct LogAuditHeadsTests {
    private let kit: AuthKit
    private let notices = Notices()

    private final class Notices: Sendable {
        private let list = Mutex<[HousekeepingNotice]>([])

        func add(_ notice: HousekeepingNotice) { list.withLock { $0.append(notice) } }

        func take() -> (heads: [AuditAnchor], censuses: [AuditCensus]) {
            list.withLock { list in
                defer { list = [] }
                return (
                    list.compactMap { if case .auditHead(let head) = $0 { head } else { nil } },
                    list.compactMap { if case .auditChains(let one) = $0 { one } else { nil } }
                )
            }
        }
    }

    init() throws {
        let notices = notices
        kit = try AuthKit(reportHousekeeping: { notices.add($0) })
        // Five minutes past the hour.
        let seconds = kit.clock.now.seconds
        kit.clock.advance(by: .seconds(3600 - seconds % 3600 + 300))
    }

    private func run() throws -> (heads: [AuditAnchor], censuses: [AuditCensus]) {
        _ = try kit.auth.housekeeping([.logAuditHeads], until: nil)
        return notices.take()
    }

    private func logIn() throws {
        _ = try kit.auth.adminLogin(password: "open sesame", Caller())
    }

    @Test func `a new head is logged by the next run, and once an hour`() throws {
        try logIn()
        var chains: [[String]] = []
        for _ in 0..<60 {
            chains.append(try run().heads.map(\.chain))
            kit.clock.advance(by: .minutes(1))
        }
        let named = chains.enumerated().filter { !$0.element.isEmpty }
        expectEqual(named.map(\.offset), [0, 1, 55])
        #expect(named.allSatisfy { $0.element.contains("ADMINISTRATION") })
    }

    @Test func `a logged head shows that a chain was removed`() throws {
        try logIn()
        let heads = try run().heads
        try expectEqual(kit.auth.verifyAudit(anchors: heads).findings, [])
        let chain = AuditChain.administration
        let items = try kit.auditItems(in: chain)
        try kit.store.write(
            items.map { .delete($0.key, when: []) } + [.delete(chain.headKey, when: [])])
        // The table alone does not show it.
        try expectEqual(kit.auth.verifyAudit(after: nil, until: nil).findings, [])
        try expectEqual(
            kit.auth.verifyAudit(anchors: heads).findings,
            [AuditFinding("ADMINISTRATION", .anchorMissing, 1)])
    }

    @Test func `chains of accounts, addresses and networks are not logged`()
        throws
    {
        _ = try kit.session()
        _ = try? kit.refresh("lkr_junk", Caller(address: "192.0.2.1"))
        #expect(try run().heads.isEmpty)
    }

    @Test func `64 runs together count every chain`() throws {
        for user in 0..<5 { _ = try kit.session(of: "user \(user)") }
        _ = try kit.session(of: "user 1")
        var (chains, events, shards) = (0, Int64(0), Set<Int>())
        for _ in 0..<64 {
            for census in try run().censuses {
                chains += census.chains
                events += census.events
                shards.insert(census.shard)
                #expect(census.isComplete)
            }
            kit.clock.advance(by: .minutes(1))
        }
        #expect(chains == 5 && events == 6 && shards == Set(0..<64))
    }

    @Test func `a run counts a limited number of chains, and reports the limit`() throws {
        let shard = Int(kit.clock.now.seconds / 60 % 64)
        for number in 0..<17_000 {
            let key = ItemKey(StoreLayout.auditHeads(shard: shard), "X\(number)")
            try kit.store.write([.put(Item(key, [:]), when: [])])
        }
        let census = try #require(try run().censuses.first)
        #expect(!census.isComplete && census.chains == 0)
    }

    @Test func `an unreadable head is left to the verification`() throws {
        try logIn()
        let key = AuditChain.administration.headKey
        try kit.store.write([.put(Item(key, ["sequence": .text("1")]), when: [])])
        try expectEqual(run().heads.map(\.chain).contains("ADMINISTRATION"), false)
    }
}

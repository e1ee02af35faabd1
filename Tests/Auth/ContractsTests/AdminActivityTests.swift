import FunctionRuntime

/// What a server counts for the charts of the system's page.
@Suite("Counts of sign-ins and refusals") struct AdminActivityTests {
    let store: MemoryStore
    let kit: ContractKit

    init() throws {
        let clock = TestClock()
        store = MemoryStore(clock: clock.wall)
        kit = try ContractKit(.latchkey, store: store, isServer: true)
    }

    private func refuse(_ kit: ContractKit, _ count: Int = 1) {
        for index in 0..<count {
            kit.auth.activity?.noteRefusal(
                operation: "logIn\(index)", status: 401, code: "WRONG", at: kit.clock.now)
        }
    }

    private func system(_ kit: ContractKit) -> String {
        let cookies = kit.administratorCookies()
        return kit.http("GET", "/admin/ui/system", type: nil, cookies: cookies).text
    }

    private func rows() throws -> Int {
        try ["ACTIVITY#HOURS", "ACTIVITY#DAYS"].reduce(0) { sum, partition in
            sum + (try store.query(PartitionQuery(partition, limit: 100)).items.count)
        }
    }

    @Test func `the chart has sign-ins and refusals that housekeeping has written`() throws {
        _ = kit.signedIn(FakeIdentity { $0.subject = "a" })
        _ = kit.signedIn(FakeIdentity { $0.subject = "b" })
        refuse(kit)
        #expect(system(kit).contains("Last day: 0 sign-ins, 0 refusals"))
        try expectEqual(rows(), 0)
        _ = try kit.auth.housekeeping([.noteRun], until: nil)
        let page = system(kit)
        for window in ["Last day", "Last month"] {
            #expect(page.contains("\(window): 2 sign-ins, 1 refusal"), "\(window)")
        }
        #expect(page.contains("<rect class=\"ok\"") && page.contains("<rect class=\"not\""))
        try expectEqual(rows(), 2)
    }

    @Test func `an idle server writes no counts`() throws {
        refuse(kit)
        _ = try kit.auth.housekeeping([.noteRun], until: nil)
        let other = try ContractKit(.latchkey, store: store, isServer: true)
        _ = try other.auth.housekeeping([.noteRun], until: nil)
        try expectEqual(rows(), 2)
    }

    @Test func `the chart keeps hours for a day and days for a month`() throws {
        refuse(kit)
        _ = try kit.auth.housekeeping([.noteRun], until: nil)
        kit.clock.advance(by: .hours(24))
        let counts = try #require(try kit.auth.activity(by: .hour))
        #expect(counts.count == 24 && counts.allSatisfy { $0.counts == ActivityCounts() })
        let days = try #require(try kit.auth.activity(by: .day))
        expectEqual(days.reduce(0) { $0 + $1.counts.refusals }, 1)
        kit.clock.advance(by: .days(30))
        let later = try #require(try kit.auth.activity(by: .day))
        #expect(later.count == 30 && later.allSatisfy { $0.counts == ActivityCounts() })
    }

    @Test func `the last refusals are listed, the newest first, up to a limit`() throws {
        refuse(kit, 60)
        let page = system(kit)
        #expect(page.contains("Last refusals of this process (50)"))
        #expect(page.contains("<span>logIn59<small>401 WRONG"))
        #expect(!page.contains("<span>logIn9<small>"))
        let newest = try #require(page.firstRange(of: "logIn59")).lowerBound
        let oldest = try #require(page.firstRange(of: "logIn10<")).lowerBound
        #expect(newest < oldest)
    }

    @Test func `only a server keeps counts`() throws {
        let function = try ContractKit(.latchkey, store: store)
        #expect(try function.auth.activity(by: .day) == nil)
        #expect(!system(function).contains("Last day"))
    }
}

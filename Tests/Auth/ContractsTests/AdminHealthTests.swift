import FunctionRuntime

/// The deployment's health on the page of the system.
@Suite("Administrator's page of health") struct AdminHealthTests {
    let kit: ContractKit
    let mail = FakeMailSystem()

    init() throws { try self.init(housekeepingInterval: nil) }

    private init(housekeepingInterval: Span?) throws {
        let previews = MailPreviews(
            languages: ["en"], standardLanguage: "en", sender: "x"
        ) { _ in nil }
        kit = try ContractKit(
            .latchkey, mail: mail, previews: previews,
            housekeepingInterval: housekeepingInterval)
    }

    private func health() throws -> [String: (isGood: Bool, finding: String)] {
        let answer = kit.direct(
            ["action": "health"],
            to: kit.contract.endpoints.map(\.operation).filter { $0.isServed(by: "admin") })
        expectEqual(answer.status, 200)
        var checks: [String: (isGood: Bool, finding: String)] = [:]
        for check in answer["checks"]?.arrayValue ?? [] {
            let name = try #require(check["name"]?.stringValue)
            checks[name] = (
                try #require(check["good"]?.boolValue as Bool?),
                try #require(check["finding"]?.stringValue)
            )
        }
        expectEqual(answer["good"]?.boolValue, checks.values.allSatisfy(\.isGood))
        return checks
    }

    private func bad() throws -> [String] {
        try health().filter { !$0.value.isGood }.map(\.key).sorted()
    }

    @Test func `housekeeping is overdue after ten minutes`() throws {
        try expectEqual(bad(), ["housekeeping"])
        _ = try kit.auth.housekeeping([.noteRun], until: nil)
        try expectEqual(bad(), [])
        kit.clock.advance(by: .minutes(10))
        try expectEqual(bad(), [])
        kit.clock.advance(by: .minutes(1))
        let check = try health()["housekeeping"]
        expectEqual(check?.isGood, false)
        expectEqual(check?.finding.hasPrefix("The last run ended 11 minutes ago."), true)
    }

    @Test func `a new deployment has ten minutes for its first housekeeping`() throws {
        #expect(try kit.auth.hasMasterKeyOfStore())
        try expectEqual(bad(), [])
        try expectEqual(
            health()["housekeeping"]?.finding,
            "The deployment is new; the first run is due within 1 minute.")
        kit.clock.advance(by: .minutes(11))
        try expectEqual(bad(), ["housekeeping"])
    }

    @Test(arguments: [(60, 10), (300, 10), (600, 20), (3600, 120)])
    func `a server's housekeeping is overdue after two intervals, and ten minutes at least`(
        _ seconds: Int64, _ minutes: Int64
    ) throws {
        let tests = try AdminHealthTests(housekeepingInterval: .seconds(seconds))
        _ = try tests.kit.auth.housekeeping([.noteRun], until: nil)
        let answer = tests.kit.http("POST", "/auth/magic-link", #"{"email":"ada@example.com"}"#)
        expectEqual(answer.status, 202)
        tests.kit.clock.advance(by: .minutes(minutes))
        try expectEqual(tests.bad(), [])
        tests.kit.clock.advance(by: .seconds(61))
        // Mail waits for it.
        try expectEqual(tests.bad(), ["housekeeping", "mail"])
        let finding = try tests.health()["housekeeping"]?.finding
        let interval = seconds == 60 ? "1 minute" : "\(seconds / 60) minutes"
        expectEqual(finding?.contains("It should run every \(interval):"), true)
    }

    @Test func `mail that waits too long, or fails again and again, needs attention`() throws {
        _ = try kit.auth.housekeeping([.noteRun], until: nil)
        let answer = kit.http("POST", "/auth/magic-link", #"{"email":"ada@example.com"}"#)
        expectEqual(answer.status, 202)
        try expectEqual(health()["mail"]?.finding, "1 mail waits for the next attempt.")
        kit.clock.advance(by: .minutes(12))
        _ = try kit.auth.housekeeping([.noteRun], until: nil)
        try expectEqual(
            health()["mail"]?.finding,
            "1 mail waits; the oldest is overdue by 11 minutes. Housekeeping sends it.")
        mail.fail(.unavailable)
        _ = try kit.auth.housekeeping([.sendDueMail], until: nil)
        try expectEqual(bad(), [])
    }

    @Test func `a clock that is behind the store's rows is detected`() throws {
        _ = try kit.auth.housekeeping([.noteRun], until: nil)
        kit.clock.advance(by: .minutes(-5))
        try expectEqual(bad(), ["clock"])
        try expectEqual(health()["clock"]?.finding.contains("5 minutes newer"), true)
    }

    @Test func `an unprocessed deletion is overdue`() throws {
        let answer = kit.signedIn()
        _ = try kit.auth.housekeeping([.noteRun], until: nil)
        let token = answer["accessToken"]?.stringValue
        expectEqual(kit.http("DELETE", "/auth/account", bearer: token).status, 204)
        try expectEqual(bad(), [])
        kit.clock.advance(by: .hours(2))
        _ = try kit.auth.housekeeping([.noteRun], until: nil)
        #expect(try bad().contains("deletions"))
    }

    @Test func `the page shows each check, and what needs attention`() throws {
        let cookies = kit.administratorCookies()
        let html = kit.http("GET", "/admin/ui/system", type: nil, cookies: cookies).text
        #expect(html.contains("✗ look at it") && html.contains("No run has ended yet."))
        expectEqual(html.matches(of: /✓ good/).count, (try health().count) - 1)
        let german = kit.http(
            "GET", "/admin/ui/system", type: nil, headers: [HTTPHeader("accept-language", "de")],
            cookies: cookies
        ).text
        #expect(german.contains("✗ bitte prüfen") && !german.contains("No run has ended yet."))
    }
}

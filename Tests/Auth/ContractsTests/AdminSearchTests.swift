import FunctionRuntime

/// Accounts are found by the beginning of an address or a name, counted, created and renamed.
@Suite("Search, creation and names") struct AdminSearchTests {
    let pages: PageKit
    var kit: ContractKit { pages.kit }
    let cookies: [(name: String, value: String)]

    init() throws { try self.init { _ in } }

    private init(_ change: (inout Policy) -> Void) throws {
        pages = try PageKit(change)
        cookies = pages.kit.administratorCookies()
    }

    private func user(_ email: String, _ name: String? = nil) throws -> String {
        try kit.user(email, email: email, name: name).id
    }

    private func found(_ text: String, after: String? = nil, limit: Int = 50) -> Answer {
        let query: [(name: String, value: String)] =
            [("search", text), ("limit", "\(limit)")] + (after.map { [("after", $0)] } ?? [])
        return kit.http("GET", "/auth/users", query: query, cookies: cookies)
    }

    private func ids(_ text: String) -> Set<String> {
        Set((found(text)["users"]?.arrayValue ?? []).compactMap { $0["id"]?.stringValue })
    }

    private func rows() throws -> [ItemKey] {
        try ["SEARCH#ad", "SEARCH#gr", "SEARCH#lo", "SEARCH#ho", "SEARCH#zo"].flatMap {
            try kit.auth.store.query(PartitionQuery($0, limit: 100)).items.map(\.key)
        }
    }

    private func act(_ action: String, on id: String, _ body: String = "") -> Int {
        kit.http(
            "POST", "/auth/users/\(id)/\(action)", "{\(body)\"password\":\"open sesame\"}",
            cookies: cookies
        ).status
    }

    @Test func `the beginning of an address or of a name finds an account`() throws {
        let ada = try user("ada@example.com", "Ada Lovelace")
        let adele = try user("Adele@example.com", "Zoë")
        let grace = try user("grace@example.com", "Grace Brewster Hopper")
        for (text, expected) in [
            ("ad", [ada, adele]), ("AD", [ada, adele]), (" ada", [ada]), ("adele@", [adele]),
            ("love", [ada]), ("ada love", [ada]), ("hop", [grace]), ("zoë", [adele]),
            ("example.com", []), ("da", []), ("grace hopper", []),
        ] as [(String, [String])] { expectEqual(ids(text), Set(expected), "\(text)") }
        for short in ["", "a", " "] { #expect(found(short).status != 500, "\(short)") }
        expectEqual(found("a").status, 404)
    }

    @Test func `changes update the index rows, and a deletion removes them`() throws {
        let ada = try user("ada@example.com", "Ada Lovelace")
        expectEqual(act("name", on: ada, #""name":"Grace Hopper","#), 204)
        #expect(ids("love").isEmpty && ids("hop") == [ada] && ids("ada@") == [ada])
        let moved = kit.http(
            "PUT", "/auth/users/\(ada)/email",
            #"{"email":"zoe@example.com","password":"open sesame"}"#, cookies: cookies)
        expectEqual(moved.status, 200)
        #expect(ids("ada@").isEmpty && ids("zoe@") == [ada])
        // The way back.
        let undo = kit.http("POST", "/auth/email/undo", #"{"token":"\#(try pages.token())"}"#)
        expectEqual(undo.status, 204)
        #expect(ids("ada@") == [ada] && ids("zoe@").isEmpty)
        expectEqual(act("delete", on: ada), 204)
        #expect(try rows().isEmpty)
    }

    @Test func `pages of a search continue, also when accounts have several terms`() throws {
        var all: Set<String> = []
        for index in 0..<7 { all.insert(try user("ada\(index)@example.com", "Ada")) }
        var seen: Set<String> = []
        var after: String?
        repeat {
            let page = found("ad", after: after, limit: 3)
            let users = page["users"]?.arrayValue ?? []
            #expect(users.count <= 3)
            seen.formUnion(users.compactMap { $0["id"]?.stringValue })
            after = page["next"]?.stringValue
        } while after != nil
        expectEqual(seen, all)
    }

    @Test func `hostile text finds nothing and breaks nothing`() throws {
        _ = try user("ada@example.com", "#<b>#")
        for text in [
            "##", "a\u{0}b", "ad#", "ad\u{1F}", "<b>", String(repeating: "a", count: 9999),
        ] {
            let answer = found(text)
            #expect([200, 404].contains(answer.status), "\(text): \(answer.status)")
        }
    }

    @Test func `an operator can disable the index`() throws {
        let off = try AdminSearchTests { $0.accounts.isSearchable = false }
        let ada = try off.user("ada@example.com", "Ada Lovelace")
        #expect(try off.rows().isEmpty)
        expectEqual(off.found("ad").status, 404)
        let html = off.kit.http("GET", "/admin/ui", type: nil, cookies: off.cookies).text
        #expect(html.contains("E-mail address or ID") && html.contains(ada))
    }

    @Test func `housekeeping counts accounts, and gives older ones their rows`() throws {
        let clock = TestClock()
        let store = MemoryStore(clock: clock.wall)
        var policy = Contract.latchkey.policy
        policy.accounts.isSearchable = false
        let before = try ContractKit(
            Contract(
                name: "latchkey", policy: policy, endpoints: Contract.latchkey.endpoints,
                errors: Contract.latchkey.errors), store: store)
        let ada = try before.user("ada", name: "Ada Lovelace").id
        for index in 0..<120 { _ = try before.user("user\(index)") }
        // A role that was given before there was a list of them.
        let known = try #require(try before.auth.findUsers.users(withID: ada).users.first)
        try store.write([UserRecord.replacing(known) { $0.adminRole = .viewer }])

        let kit = try ContractKit(.latchkey, store: store)
        let auth = kit.auth
        #expect(try auth.findUsers.total() == nil)
        _ = try auth.housekeeping([.walkDirectory], until: nil)
        try expectEqual(auth.findUsers.total()?.count, 121)
        let page = try auth.findUsers.users(beginningWith: "lov", limit: 10, after: nil)
        expectEqual(page?.users.map(\.id.text), [ada])
        try expectEqual(auth.findUsers.withRoles().users.map(\.id.text), [ada])
        // Nothing more for a day.
        let again = try auth.housekeeping([.walkDirectory], until: nil)
        expectEqual(again.first?.counts.map(\.count), [0, 0])
        kit.clock.advance(by: .hours(24))
        _ = try before.user("last")
        let next = try auth.housekeeping([.walkDirectory], until: nil)
        expectEqual(next.first?.counts.map(\.count), [122, 0])
        try expectEqual(auth.findUsers.total()?.count, 122)
    }

    @Test func `a whole address finds its registration until it is confirmed`() throws {
        let email = "ada@example.com"
        func answer(_ text: String) -> Answer {
            kit.http("GET", "/admin/ui", query: [("q", text)], type: nil, cookies: cookies)
        }
        func page(_ text: String) -> String { answer(text).text }
        _ = kit.http(
            "POST", "/auth/register",
            #"{"email":"\#(email)","password":"correct horse battery","displayName":"Ada"}"#)
        #expect(page("ada@example.co").contains("No user found."))
        #expect(!page("ada@example.co").contains("Registered on"))
        let found = page(" ADA@example.com")
        #expect(found.contains("<span>\(email)<small>Registered on "))
        #expect(found.contains("Send the mail again") && !found.contains("No user found."))
        kit.clock.advance(by: .minutes(2))
        let token = try answer(email).formToken
        let sent = kit.submit(
            "/admin/ui/registrations/resend",
            [("form", token), ("email", email), ("reason", "Ticket 7")], cookies: cookies)
        #expect(sent.status == 303, "\(sent.text)")
        let event = try kit.auth.listAudit(
            of: kit.auth.auditChain(ofEmail: try #require(EmailAddress(parsing: email))), limit: 1,
            after: nil
        ).entries.first
        #expect(event?.event == "verificationRequested" && event?.reason == "Ticket 7")
        let verified = kit.http(
            "POST", "/auth/verify-email",
            #"{"token":"\#(try pages.token())","password":"correct horse battery"}"#)
        expectEqual(verified.status, 201)
        #expect(!page(email).contains("Registered on"))
    }

    @Test func `the link in an administrator's invitation is valid for three days`() throws {
        for (email, age, status) in [("ada@example.com", 71, 204), ("bob@example.com", 73, 400)] {
            let created = kit.http(
                "POST", "/auth/users",
                #"{"email":"\#(email)","displayName":"Ada","password":"open sesame"}"#,
                cookies: cookies)
            expectEqual(created.status, 201)
            #expect(created["emailVerified"] == true && created["displayName"] == "Ada")
            let mail = try pages.lastMail()
            #expect(mail.kind == .invitation && mail.to == email)
            expectEqual(mail.values["hours"], "72")
            let token = try pages.token()
            let former = kit.clock.now
            kit.clock.advance(by: .hours(Int64(age)))
            let reset = kit.http(
                "POST", "/auth/reset-password",
                #"{"token":"\#(token)","newPassword":"correct horse battery"}"#)
            expectEqual(reset.status, status)
            kit.clock.advance(by: former - kit.clock.now)
        }
    }
}

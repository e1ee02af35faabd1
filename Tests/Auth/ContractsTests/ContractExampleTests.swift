import FunctionRuntime

/// `docs/contract-example` shows how to add a contract; its folder is compiled with the tests, and
/// every test of all contracts and templates also covers it.
@Suite("The contract example of the documentation") struct ContractExampleTests {
    @Test func `a session is opened, renewed and closed`() throws {
        let kit = try ContractKit(try #require(Contract.named("journal")))
        kit.fake.add("token", FakeIdentity())
        let body: JSON = ["provider": .string(FakeIdentity().provider), "id_token": "token"]
        let opened = kit.http("POST", "/v1/session", body.text)
        expectEqual(opened.status, 201)
        let bearer = try #require(opened["access_token"]?.stringValue)
        let token = try #require(opened["refresh_token"]?.stringValue)
        #expect(token.hasPrefix("journal_"))
        expectEqual(opened["expires_in"]?.int64Value, Span.minutes(10).seconds)

        let me = kit.http("GET", "/v1/me", bearer: bearer)
        #expect(me.status == 200 && me["id"] == opened["user"]?["id"])

        let renewal = JSON.object(["refresh_token": .string(token)]).text
        let renewed = kit.http("POST", "/v1/session/renewal", renewal)
        expectEqual(renewed.status, 200)
        #expect(renewed["refresh_token"]?.stringValue != token)

        expectEqual(kit.http("DELETE", "/v1/session", bearer: bearer).status, 204)
        let ended = kit.http("GET", "/v1/me", bearer: bearer)
        expectEqual(ended.status, 401)
        #expect(ended.headers.contains { $0.name == "www-authenticate" })
        guard case .text(let problem, let type)? = ended.body else {
            Issue.record("\(ended)")
            return
        }
        expectEqual(type, "application/problem+json")
        let members = try JSON.parse(Array(problem.utf8), limits: .event)
        #expect(members["status"] == 401 && members["code"]?.stringValue?.isEmpty == false)
    }
}

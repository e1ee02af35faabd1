@Suite("Contract latchkey") struct LatchkeyTests {
    let kit: ContractKit

    init() throws { kit = try ContractKit(.latchkey) }

    @Test func `requests that end sessions or grant rights refuse unknown members`() {
        let mine = kit.signedIn()
        let bearer = mine["accessToken"]?.stringValue ?? ""
        let requests = [
            ("POST", "/auth/signout"), ("POST", "/auth/credentials"),
            ("POST", "/auth/change-password"), ("POST", "/auth/reset-password"),
            ("POST", "/auth/methods"), ("POST", "/auth/methods/password"),
        ]
        for (method, path) in requests {
            let answer = kit.http(method, path, #"{"everywhere":true}"#, bearer: bearer)
            #expect(answer.status == 400 && answer["error"]?["field"] == "everywhere", "\(path)")
        }
        expectEqual(kit.http("GET", "/auth/me", bearer: bearer).status, 200)
        let endless = String(repeating: "x", count: 100)
        let answer = kit.http("POST", "/auth/signout", "{\"\(endless)\":1}", bearer: bearer)
        expectEqual(answer["error"]?["field"], "…")
        expectEqual(
            kit.http("POST", "/auth/signout", #"{"scope":null,"x":null}"#, bearer: bearer).status,
            200)
    }

    @Test
    func `keys and discovery may be cached, for less time than keys are published in advance`() {
        for path in ["/.well-known/jwks.json", "/.well-known/openid-configuration"] {
            let answer = kit.http("GET", path)
            expectEqual(answer.status, 200)
            #expect(
                answer.headers.contains { $0.name == "cache-control" && $0.value.contains("3600") })
        }
        #expect(Span.seconds(3600) < SigningKeys.publishedBeforeUse)
    }
}

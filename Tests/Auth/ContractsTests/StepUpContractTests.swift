import FunctionRuntime

/// Requirements of an application's own route for the proof of a session.
@Suite("Step-up of routes") struct StepUpContractTests {
    private static let routes: [Endpoint] = [
        .signedIn(AuthOperation("pay"), .post("/pay"), within: .minutes(5)) { _, _, _ in
            Answer(["paid": true])
        },
        .signedIn(AuthOperation("vote"), .post("/vote"), strength: .phishingResistant) {
            _, _, _ in Answer(["voted": true])
        },
    ]

    private func ask(_ kit: ContractKit, _ path: String, _ bearer: String) -> Answer {
        let request = Request(
            method: "POST", path: path,
            headers: [
                HTTPHeader("authorization", "Bearer \(bearer)"),
                HTTPHeader("content-type", "application/json"),
            ], cookies: [], body: Array("{}".utf8), sourceAddress: "192.0.2.1",
            userAgent: "Test", requestID: "1")
        return Router(kit.contract, serving: Self.routes, kit.auth).outcome(of: request).answer
    }

    private func challenge(_ answer: Answer) -> String? {
        answer.value("www-authenticate")
    }

    @Test func `a step-up opens a route that requires a recent proof`() throws {
        let kit = try ContractKit(.latchkey)
        let token = try #require(kit.signedIn().json?["accessToken"]?.stringValue)
        expectEqual(ask(kit, "/pay", token).status, 200)
        kit.clock.advance(by: .minutes(5))
        let refused = ask(kit, "/pay", token)
        expectEqual(refused.status, 401)
        expectEqual(refused.json?["error"]?["code"]?.stringValue, "STEP_UP_REQUIRED")
        expectEqual(
            challenge(refused), "Bearer error=\"insufficient_user_authentication\", max_age=\"300\""
        )
        kit.fake.add("again", FakeIdentity())
        let body = #"{"provider":"apple","idToken":"again"}"#
        let proven = kit.http("POST", "/auth/step-up", body, bearer: token)
        expectEqual(proven.status, 200)
        let next = try #require(proven.json?["accessToken"]?.stringValue)
        expectEqual(ask(kit, "/pay", next).status, 200)
    }

    @Test func `the challenge for a strong proof contains the strength`() throws {
        let kit = try ContractKit(.latchkey)
        let token = try #require(kit.signedIn().json?["accessToken"]?.stringValue)
        let refused = ask(kit, "/vote", token)
        expectEqual(refused.status, 401)
        expectEqual(
            challenge(refused),
            "Bearer error=\"insufficient_user_authentication\", acr_values=\"phr\"")
    }
}

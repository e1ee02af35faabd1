import FunctionRuntime

/// The headers with which a browser lets a page of another origin read a response (Fetch Standard,
/// "CORS protocol").
@Suite("Requests of other origins") struct CrossOriginTests {
    static let app = "https://app.example.com"

    static func kit(_ contract: Contract = .latchkey) throws -> ContractKit {
        var contract = contract
        contract.rules.allowedOrigins = [app, "http://localhost:3000"]
        return try ContractKit(contract)
    }

    static func preflight(
        _ kit: ContractKit, _ path: String, _ method: String, from origin: String = app,
        to served: [AuthOperation]? = nil
    ) -> Answer {
        let headers = [
            HTTPHeader("origin", origin), HTTPHeader("access-control-request-method", method),
            HTTPHeader("access-control-request-headers", "authorization,content-type"),
        ]
        return kit.http("OPTIONS", path, type: nil, headers: headers, to: served)
    }

    @Test(arguments: Contract.names)
    func `a preflight of every route is answered with its methods`(name: String) throws {
        let contract = try #require(Contract.named(name))
        let kit = try Self.kit(contract)
        for route in contract.endpoints.compactMap(\.route) {
            let answer = Self.preflight(kit, route.path, route.method)
            #expect(answer.status == 204 && answer.body == nil, "\(route)")
            let methods = answer.value("access-control-allow-methods") ?? ""
            #expect(methods.split(separator: ", ").contains { $0 == route.method }, "\(route)")
            let headers = answer.value("access-control-allow-headers")
            let proofs = contract.policy.proofs.map { $0.mode != .off } ?? false
            let hooks = contract.policy.asksHooks
            expectEqual(
                headers,
                "authorization, content-type" + (hooks ? ", bot-proof" : "")
                    + (proofs ? ", dpop" : ""))
            expectEqual(answer.value("access-control-allow-origin"), Self.app)
            expectEqual(answer.value("access-control-max-age"), "7200")
            expectEqual(answer.value("vary"), "Origin")
        }
    }

    @Test func `a preflight does not count as an operation or a failure`() throws {
        let kit = try Self.kit()
        let request = Request(
            method: "OPTIONS", path: "/auth/signin",
            headers: [
                HTTPHeader("origin", Self.app), HTTPHeader("access-control-request-method", "POST"),
            ], requestID: "1")
        let outcome = try #require(kit.send(request))
        expectEqual(outcome.operation.name, "preflight")
        #expect(outcome.failure == nil)
    }

    @Test func `a function with a gateway path of its own answers at the root`() throws {
        let kit = try Self.kit()
        let answer = Self.preflight(kit, "/", "POST", to: [.signIn])
        expectEqual(answer.status, 204)
        expectEqual(answer.value("access-control-allow-methods"), "POST")
    }

    @Test func `the DPoP header is allowed if proofs are accepted`() {
        let none = CrossOrigin.requestHeaders(acceptsProofs: false, asksHooks: false)
        expectEqual(none, ["authorization", "content-type"])
        let all = CrossOrigin.requestHeaders(acceptsProofs: true, asksHooks: true)
        expectEqual(all, none + ["bot-proof", "dpop"])
    }

    static let foreignOrigins = [
        "https://evil.example.com", "https://app.example.com.evil.com", "null", "*", "",
        "https://app.example.com/", "https://app.example.com:443", "http://app.example.com",
        "HTTPS://APP.EXAMPLE.COM", "https://app.example.com, https://evil.example.com",
        "http://localhost:3001", "http://localhost",
    ]

    @Test(arguments: foreignOrigins) func `another origin gets no CORS headers`(origin: String)
        throws
    {
        let kit = try Self.kit()
        let header = [HTTPHeader("origin", origin)]
        let answers = [
            Self.preflight(kit, "/auth/signin", "POST", from: origin),
            kit.http("GET", "/auth/me", headers: header),
            kit.http("POST", "/auth/challenge", headers: header),
        ]
        expectEqual(answers.map(\.status), [204, 401, 200])
        for answer in answers {
            #expect(!answer.headers.contains { $0.name.hasPrefix("access-control-") })
            // Otherwise a cache could serve the app a response to another page.
            expectEqual(answer.value("vary"), "Origin")
        }
    }

    @Test func `a page can read Retry-After`() throws {
        let kit = try Self.kit()
        let header = [HTTPHeader("origin", Self.app)]
        var answer = kit.http("POST", "/auth/challenge", headers: header)
        for _ in 0..<60 { answer = kit.http("POST", "/auth/challenge", headers: header) }
        expectEqual(answer.status, 429)
        #expect(answer.value("retry-after") != nil)
        expectEqual(answer.value("access-control-allow-origin"), Self.app)
        let exposed = answer.value("access-control-expose-headers") ?? ""
        #expect(exposed.split(separator: ", ").contains("retry-after"))
        // A preflight is cheap, so it is not counted.
        expectEqual(Self.preflight(kit, "/auth/challenge", "POST").status, 204)
    }

    /// A browser shows no response to a request with cookies without this header, and sends no
    /// cookies after a preflight without it.
    @Test func `no response allows credentials, so the administrator's cookie cannot be used`()
        throws
    {
        let kit = try Self.kit()
        let header = [HTTPHeader("origin", Self.app)]
        let login = kit.http(
            "POST", "/auth/admin/login", #"{"password":"open sesame"}"#, headers: header)
        let cookie = try #require(login.cookies.first)
        let cookies = [(name: cookie.name, value: cookie.value)]
        let users = kit.http("GET", "/auth/users", headers: header, cookies: cookies)
        expectEqual(users.status, 200)
        let logout = kit.http("POST", "/auth/admin/logout", headers: header, cookies: cookies)
        // The defence against forged requests does not depend on the setting.
        expectEqual(logout.status, 403)
        let preflights = ["/auth/users", "/auth/admin/login", "/auth/admin/logout"].map {
            Self.preflight(kit, $0, "POST")
        }
        for answer in [login, users, logout] + preflights {
            expectEqual(answer.value("access-control-allow-credentials"), nil)
        }
    }

    @Test func `OPTIONS without the preflight headers is 405`() throws {
        let kit = try Self.kit()
        let origin = HTTPHeader("origin", Self.app)
        let method = HTTPHeader("access-control-request-method", "POST")
        for headers in [[], [origin], [method]] {
            expectEqual(kit.http("OPTIONS", "/auth/signin", headers: headers).status, 405)
        }
    }
}

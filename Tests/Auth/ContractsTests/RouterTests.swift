import FunctionRuntime

@Suite("Router") struct RouterTests {
    let kit: ContractKit

    init() throws { kit = try ContractKit(.latchkey) }

    @Test func `a path parameter is one whole segment`() {
        let route = Route.delete("/auth/sessions/{id}")
        expectEqual(route.match("/auth/sessions/x"), ["id": "x"])
        expectEqual(route.match("/auth/sessions/{id}"), ["id": "{id}"])
        expectEqual(route.match("/auth/sessions/.."), ["id": ".."])
        expectEqual(route.match("/auth/sessions/é"), ["id": "é"])
        for path in ["/auth/sessions/", "/auth/sessions", "/auth/sessions/x/", "auth/sessions/x"] {
            expectEqual(route.match(path), nil)
        }
        let inside = Route.get("/users/{id}/keys/{key}")
        expectEqual(inside.match("/users/a/keys/b"), ["id": "a", "key": "b"])
        for path in ["/users/a/b/keys/c", "/users//keys/b", "/users/a/keys/", "/users/a/key/b"] {
            expectEqual(inside.match(path), nil)
        }
        expectEqual(Route.get("/{id").match("/{id"), [:])
        expectEqual(Route.get("/a{id}").match("/ax"), nil)
    }

    static let types: [(String?, Bool)] = [
        (nil, true), ("application/json", true), ("APPLICATION/JSON", true),
        ("application/json; charset=utf-8", true), (" application/json ;x", true),
        ("application/vnd.api+json", true), ("text/plain", false), ("", false),
        ("application/x-www-form-urlencoded", false), ("multipart/form-data; boundary=x", false),
        ("text/json", false), ("application/jsonp", false), ("json", false),
        ("application/json, text/plain", false), ("text/plain; application/json", false),
    ]

    @Test(arguments: types)
    func `a body must be declared as JSON, because cross-site pages can send other types`(
        type: String?, isAccepted: Bool
    ) {
        let answer = kit.http("POST", "/auth/refresh", "{\"refreshToken\":\"junk\"}", type: type)
        expectEqual(answer.status, isAccepted ? 401 : 415)
        // Without a body the type does not matter.
        expectEqual(kit.http("POST", "/auth/challenge", "", type: type).status, 200)
    }

    static let bearers: [(String, String?)] = [
        ("Bearer abc", "abc"), ("bearer abc", "abc"), ("BEARER abc", "abc"), ("Bearer  abc", "abc"),
        ("", nil), ("Bearer", nil), ("Bearer ", nil), ("Bearer   ", nil), ("abc", nil),
        ("Basic abc", nil), ("Bearerabc", nil), ("Bearer a b", nil), ("Bearer a, Bearer b", nil),
        ("Bearer a\tb", nil), ("Bearer\tabc", nil), (" Bearer abc", nil), ("Bearer é", nil),
        ("Bearer a\u{0}", nil), ("Bearer abc ", nil), ("Token Bearer abc", nil),
        ("Bearer " + String(repeating: "a", count: 20_000), nil),
    ]

    @Test(arguments: bearers) func `a bearer token is a single token after its scheme`(
        header: String, token: String?
    ) {
        expectEqual(BearerCredential(header: header), token.map { .token($0) } ?? .malformed)
    }

    @Test func `no response contains request data`() {
        let secret = "s3cr3t-v4lue"
        let requests = [
            ("/auth/signin", "{\"provider\":\"\(secret)\",\"idToken\":\"\(secret)\"}"),
            ("/auth/signin", "{\"provider\":\"apple\",\"idToken\":\"\(secret)\"}"),
            ("/auth/refresh", "{\"refreshToken\":\"\(secret)\"}"),
            ("/auth/signout", "{\"scope\":\"\(secret)\"}"), ("/auth/\(secret)", "{}"),
            ("/auth/signin", "{\"\(secret)\":"),
            ("/auth/credentials", "{\"access\":\"\(secret)\"}"),
        ]
        for (path, body) in requests {
            let answer = kit.http("POST", path, body, bearer: secret)
            #expect(!"\(answer)".contains(secret), "\(path)")
        }
    }
}

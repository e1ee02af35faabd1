import BaseTestSupport
import EmulatorBase
import EmulatorThirdParties
import JOSE

@Suite struct RouteTests {
    @Test(arguments: [
        ("DELETE", "/_idp/apple/auth/keys", "GET, HEAD"),
        ("POST", "/_idp/apple/.well-known/openid-configuration", "GET, HEAD"),
        ("GET", "/_idp/apple/auth/token", "POST"), ("GET", "/_idp/google/revoke", "POST"),
        ("PUT", "/_idp/google/o/oauth2/v2/auth", "GET, HEAD, POST"),
        ("GET", "/_idp/acme/mint", "POST"), ("GET", "/_idp/acme/decision", "POST"),
        ("POST", "/_idp/acme/faults", "GET, HEAD, PUT, DELETE"),
        ("GET", "/_idp/acme/faults/jwks-500", "DELETE"),
        ("POST", "/_idp/acme/clients", "GET, HEAD"),
        ("POST", "/_idp/acme/clients/x", "GET, HEAD, PUT, DELETE"),
        ("DELETE", "/_idp/acme/accounts", "GET, HEAD, POST"),
        ("OPTIONS", "/_idp/apple/auth/token", "POST"), ("get", "/_idp/acme/keys", "GET, HEAD"),
        ("POST", "/_idp", "GET, HEAD"),
    ])
    func `the response to a method that is not allowed names the allowed ones`(
        method: String, target: String, allow: String
    ) throws {
        let answer = try IdentityServiceHarness.shared.get().call(method, target)
        expectEqual(answer.status, 405)
        expectEqual(answer.header("allow"), allow)
        #expect(answer.json["message"] != nil)
    }

    @Test(arguments: [
        "/", "/_idpx", "/_idp/", "/_idp/nobody/keys", "/_idp/apple", "/_idp/apple/",
        "/_idp/apple/userinfo", "/_idp/apple/v1/userinfo", "/_idp/google/auth/keys",
        "/_idp/acme/tokeninfo", "/_idp/acme/keys/x", "/_idp/Apple/auth/keys", "/_idp/acme/clients/",
        "/_idp/%61cme%00/keys", "/_idp/acme/../apple/auth/keys", "/_idp/acme//keys",
        "/_idp/%zz/keys",
        "/_idp/\u{E9}/keys", "/_idp/%ff/keys",
    ])
    func `unknown paths are not found`(target: String) throws {
        let answer = try IdentityServiceHarness.shared.get().get(target)
        // The index also exists with a trailing slash.
        expectEqual(answer.status, target == "/_idp/" ? 200 : 404)
        expectEqual(answer.header("content-type"), "application/json")
    }

    @Test func `the index lists the issuers and their URLs`() throws {
        let issuers =
            try IdentityServiceHarness.shared.get().get("/_idp").json["issuers"]?.arrayValue ?? []
        expectEqual(issuers.map { $0["name"] }, ["apple", "google", "acme"])
        expectEqual(
            issuers[1]["endpoints"]?["tokenInfo"], "http://127.0.0.1:8000/_idp/google/tokeninfo")
        expectEqual(issuers[0]["endpoints"]?["tokenInfo"], nil)
    }

    @Test func `pages of any origin may read public endpoints`() throws {
        let harness = try IdentityServiceHarness.shared.get()
        for target in ["/_idp/google/oauth2/v3/certs", "/_idp/google/v1/userinfo"] {
            let answer = try harness.call("OPTIONS", target)
            expectEqual(answer.status, 204)
            expectEqual(answer.header("access-control-allow-origin"), "*")
            expectEqual(answer.header("access-control-allow-methods")?.hasPrefix("GET"), true)
        }
        for closed in ["/_idp/acme/mint", "/_idp/apple/auth/token", "/_idp/google/revoke"] {
            try expectEqual(
                harness.post(closed, json: [:]).header("access-control-allow-origin"), nil)
        }
        // For public clients in browsers, also to read why a code is refused.
        for open in ["/_idp/acme/token", "/_idp/google/token"] {
            let answer = try harness.post(open, json: [:])
            expectEqual(answer.status, 400)
            expectEqual(answer.header("access-control-allow-origin"), "*")
        }
    }

    @Test func `a body that is too large is refused`() throws {
        let harness = try IdentityServiceHarness.shared.get()
        let answer = try harness.call(
            "POST", "/_idp/acme/mint", body: String(repeating: " ", count: (64 << 10) + 1))
        expectEqual(answer.status, 413)
    }

    @Test func `random requests get valid responses, and the service keeps working`() throws {
        let harness = try IdentityServiceHarness()
        let random = RandomSource.seeded(2026)
        let words = [
            "/_idp/", "apple", "google", "acme", "/auth/token", "/token", "/auth/authorize",
            "/o/oauth2/v2/auth", "/authorize", "/decision", "/mint", "/faults", "/clients/",
            "/notify",
            "/accounts", "/revoke", "/tokeninfo", "/v1/userinfo", "?", "client_id=",
            "redirect_uri=",
            "http%3A%2F%2Fa%2Fb", "response_type=", "code", "id_token", "&", "=", "%",
            "scope=openid",
            "latchkey_account=", "a@b", "{", "}", "\"email\":", "\"fault\":\"expired\"", "[",
            "null",
            "grant_type=authorization_code", "token=", "\u{0}", "\r\n", "é", "-1", "prompt=none",
        ]
        let methods = ["GET", "POST", "PUT", "DELETE", "OPTIONS", "HEAD", "PATCH", ""]
        func number(below count: Int) -> Int {
            Int(random.bytes(2).reduce(0) { $0 << 8 | UInt16($1) }) % count
        }
        func text(_ count: Int) -> String {
            (0..<number(below: count)).map { _ in words[number(below: words.count)] }.joined()
        }
        for _ in 0..<4000 {
            let types = ["application/json", "application/x-www-form-urlencoded", "x"]
            let request = ServerRequest(
                method: methods[number(below: methods.count)], target: "/_idp/" + text(12),
                headers: [
                    HTTPHeader("Content-Type", types[number(below: 3)]),
                    HTTPHeader("Authorization", text(4)),
                ],
                body: number(below: 4) == 0 ? random.bytes(number(below: 64)) : Array(text(12).utf8)
            )
            let answer = try #require(harness.send(request))
            #expect((200..<500).contains(answer.status), "\(request.target)")
            #expect(
                answer.headers.allSatisfy { header in
                    header.value.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7F }
                }, "\(request.target)")
        }
        try expectEqual(harness.mint("acme").isEmpty, false)
    }
}

@Suite struct RegistryTests {
    @Test func `a client is registered, returned and deleted`() throws {
        let harness = try IdentityServiceHarness()
        let put = try harness.put(
            "/_idp/acme/clients/web%2Eapp",
            json: [
                "redirectURIs": ["http://127.0.0.1:3000/cb", "com.example:/cb"], "secret": "s",
                "notificationURL": "https://a.example/n",
            ])
        expectEqual(put.status, 200)
        let one = try harness.get("/_idp/acme/clients/web.app").json
        expectEqual(one["id"], "web.app")
        expectEqual(one["redirectURIs"], ["http://127.0.0.1:3000/cb", "com.example:/cb"])
        let list = try harness.get("/_idp/acme/clients").json["clients"]?.arrayValue
        expectEqual(list?.map { $0["id"] }, ["acme-client", "web.app"])
        try expectEqual(harness.call("DELETE", "/_idp/acme/clients/web.app").status, 204)
        try expectEqual(harness.get("/_idp/acme/clients/web.app").status, 404)
    }

    @Test func `a registered client replaces the configured client`() throws {
        let harness = try IdentityServiceHarness()
        _ = try harness.put("/_idp/acme/clients/acme-client", json: ["secret": "other"])
        let code = try harness.code(.acme)
        try expectEqual(harness.redeem(.acme, code).status, 401)
        try expectEqual(harness.redeem(.acme, code, [("client_secret", "other")]).status, 200)
        try expectEqual(harness.get("/_idp/acme/clients").json["clients"]?.arrayValue?.count, 1)
    }

    @Test(arguments: [
        ("x", "{\"id\":\"y\"}"), ("x", "{\"redirectURIs\":[\"javascript:x\"]}"),
        ("x", "{\"redirectURIs\":[1]}"), ("x", "{\"secret\":1}"), ("x", "{\"secret\":\"\"}"),
        ("x", "{\"notificationURL\":\"ftp://a\"}"), ("x", "{\"publicKeys\":[{}]}"),
        ("x", "{\"publicKeys\":[{\"keyId\":\"K\"}]}"), ("x", "{\"publicKeys\":{}}"),
        ("x", "{\"publicKeys\":[{\"keyId\":\"K\",\"pem\":\"no\"}]}"),
        ("x", "{\"publicKeys\":[{\"keyId\":\"K\",\"jwk\":{\"kty\":\"EC\"}}]}"),
        (
            "x",
            "{\"publicKeys\":[{\"keyId\":\"K\",\"jwk\":{\"kty\":\"oct\",\"k\":\""
                + String(repeating: "A", count: 43) + "\"}}]}"
        ),
        ("a%20b", "{}"), ("a%2Fb", "{}"), (String(repeating: "x", count: 256), "{}"),
        ("x", "{\"unknown\":1}"), ("x", "[]"),
    ])
    func `an invalid client is not registered`(id: String, body: String) throws {
        let harness = try IdentityServiceHarness.shared.get()
        let answer = try harness.call("PUT", "/_idp/acme/clients/\(id)", body: body)
        expectEqual(answer.status, 400)
        expectEqual(answer.json["message"]?.stringValue?.isEmpty, false)
        try expectEqual(harness.get("/_idp/acme/clients").json["clients"]?.arrayValue?.count, 1)
    }

    @Test func `an account can be created with a given subject, and unverified`() throws {
        let harness = try IdentityServiceHarness()
        let answer = try harness.post(
            "/_idp/google/accounts",
            json: [
                "email": "bob@example.com", "name": "Bob B.", "sub": "77", "emailVerified": false,
            ])
        expectEqual(answer.status, 201)
        expectEqual(answer.json["sub"], "77")
        let token = try harness.verify(
            try harness.mint("google", ["email": "BOB@example.com"]), "google",
            IdentityServiceHarness.googleClient)
        expectEqual(token.subject, "77")
        expectEqual(token.claims["email_verified"], false)
        expectEqual(token.claims["name"], "Bob B.")
    }

    @Test(arguments: ["{}", "{\"email\":\"x\"}", "{\"email\":\"a@b\",\"name\":1}", "[]", "x"])
    func `an account without an address is refused`(body: String) throws {
        let answer = try IdentityServiceHarness.shared.get().call(
            "POST", "/_idp/acme/accounts", body: body)
        expectEqual(answer.status, 400)
    }
}

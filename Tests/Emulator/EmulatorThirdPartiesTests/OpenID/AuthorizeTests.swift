import BaseTestSupport
import EmulatorBase
import EmulatorThirdParties
import JOSE

@Suite struct AuthorizeTests {
    private static let yes = ("decision", "approve")
    private static let ada = ("account", "ada@example.com")

    @Test func `Apple posts a code, and the user's name only the first time`() throws {
        let harness = try IdentityServiceHarness()
        let first = try harness.choose(.apple, [Self.ada, Self.yes])
        expectEqual(first.url, ClientApp.callback)
        expectEqual(first["state"], "st")
        expectEqual(first["code"]?.isEmpty, false)
        expectEqual(first["id_token"], nil)
        let user = try JSON.parse(Array(try #require(first["user"]).utf8), limits: .request)
        expectEqual(
            user,
            [
                "name": ["firstName": "Ada", "lastName": "Lovelace"], "email": "ada@example.com",
            ])
        let second = try harness.choose(.apple, [Self.ada, Self.yes])
        #expect(second["code"] != first["code"])
        expectEqual(second["user"], nil)
        let other = try harness.choose(.apple, [("account", "grace@example.com"), Self.yes])
        #expect(other["user"] != nil)
    }

    @Test func `Apple's relay address is permanent`() throws {
        let harness = try IdentityServiceHarness()
        let hidden = try harness.choose(.apple, [Self.ada, ("email_choice", "hide"), Self.yes])
        expectEqual(hidden["user"]?.contains("@privaterelay.appleid.com"), true)
        expectEqual(hidden["user"]?.contains("ada@example.com"), false)
        // Later choices have no effect: the app knows the user by that address.
        let again = try harness.approve(
            .apple.with(("response_type", "code id_token")), as: "ada@example.com")
        let token = try harness.verify(
            try #require(again["id_token"]), "apple", IdentityServiceHarness.appleClient)
        expectEqual(
            token.claims["email"]?.stringValue?.hasSuffix("@privaterelay.appleid.com"), true)
        expectEqual(token.claims["is_private_email"], "true")
    }

    @Test func `Apple's ID token contains the hash of the code`() throws {
        let harness = try IdentityServiceHarness()
        let arrival = try harness.approve(.apple.with(("response_type", "code id_token")))
        let token = try harness.verify(
            try #require(arrival["id_token"]), "apple", IdentityServiceHarness.appleClient)
        let code = try #require(arrival["code"])
        expectEqual(
            token.claims["c_hash"], .string(Base64URL.encode(SHA256.hash(utf8: code).prefix(16))))
        expectEqual(token.claims["nonce"], "n-1")
    }

    @Test func `scopes require response_mode form_post`() throws {
        let harness = try IdentityServiceHarness.shared.get()
        for mode in ["query", "fragment", nil] {
            let answer = try harness.get(
                ClientApp.apple.with(("response_mode", mode)).target,
                headers: [("Accept", "application/json")])
            expectEqual(answer.status, 400)
            expectEqual(answer.error, "invalid_request")
            expectEqual(
                answer.errorDescription,
                "response_mode must be form_post when name or email scope is requested.")
        }
        let plain = ClientApp.apple.with(("response_mode", nil), ("scope", nil))
        #expect(try harness.approve(plain)["code"] != nil)
    }

    @Test func `cancelling returns an error to the app`() throws {
        let harness = try IdentityServiceHarness.shared.get()
        try expectEqual(
            harness.choose(.apple, [("decision", "cancel")])["error"], "user_cancelled_authorize")
        try expectEqual(harness.approve(.apple, as: "cancel")["state"], "st")
        try expectEqual(harness.choose(.google, [("decision", "cancel")])["error"], "access_denied")
        try expectEqual(harness.choose(.acme, [Self.ada])["error"], "access_denied")
    }

    @Test func `Google redirects with a code, the state and its scopes`() throws {
        let harness = try IdentityServiceHarness.shared.get()
        let arrival = try harness.choose(.google, [Self.ada, Self.yes])
        expectEqual(arrival.url, ClientApp.callback)
        expectEqual(arrival["state"], "st")
        expectEqual(arrival["code"]?.hasPrefix("4/0"), true)
        expectEqual(
            arrival["scope"],
            "openid https://www.googleapis.com/auth/userinfo.email "
                + "https://www.googleapis.com/auth/userinfo.profile")
    }

    @Test func `a page can be submitted once, within ten minutes`() throws {
        let harness = try IdentityServiceHarness()
        let transaction = try #require(try harness.page(.google).text.transaction)
        let form = [("transaction", transaction), Self.ada, Self.yes]
        try expectEqual(harness.post("/_idp/google/decision", form: form).status, 303)
        let again = try harness.post("/_idp/google/decision", form: form)
        expectEqual(again.status, 400)
        #expect(again.text.contains("This page has expired or was used before"))

        let late = try #require(try harness.page(.google).text.transaction)
        // A page of another issuer is refused.
        let elsewhere = try harness.post(
            "/_idp/acme/decision", form: [("transaction", late), Self.ada, Self.yes])
        expectEqual(elsewhere.status, 400)
        harness.environment.advance(.minutes(10))
        let over = try harness.post(
            "/_idp/google/decision", form: [("transaction", late), Self.ada, Self.yes])
        expectEqual(over.status, 400)
        try expectEqual(
            harness.post("/_idp/google/decision", form: [Self.ada, Self.yes]).status, 400)
    }

    @Test func `an account created on the page is listed the next time`() throws {
        let harness = try IdentityServiceHarness()
        let arrival = try harness.choose(
            .apple,
            [
                ("account", "new"), ("new_email", "zoë@example.com"), ("new_name", "Zoë O'Neill"),
                Self.yes,
            ])
        expectEqual(arrival["user"]?.contains("Zoë"), true)
        let page = try harness.page(.apple).text
        #expect(page.contains("Zoë O&#39;Neill<small>zoë@example.com</small>"))
        let names = try harness.get("/_idp/apple/accounts").json["accounts"]?.arrayValue
        expectEqual(
            names?.compactMap { $0["name"]?.stringValue },
            [
                "Ada Lovelace", "Grace Hopper", "Zoë O'Neill",
            ])
    }

    @Test(
        arguments: [
            [("account", "new")], [("account", "new"), ("new_email", "nobody")], [],
            [("account", "a@b\"><script>")],
            [("account", "new"), ("new_email", "a@b"), ("new_name", "\u{1}")],
        ] as [[(String, String)]])
    func `an invalid choice shows the page again`(fields: [(String, String)]) throws {
        let harness = try IdentityServiceHarness.shared.get()
        let transaction = try #require(try harness.page(.acme).text.transaction)
        let page = try harness.post(
            "/_idp/acme/decision", form: [("transaction", transaction), Self.yes] + fields)
        expectEqual(page.status, 400)
        #expect(page.text.contains("role=\"alert\""))
        let next = try #require(page.text.transaction)
        #expect(next != transaction)
        let arrival = try RedirectResult(
            harness.post("/_idp/acme/decision", form: [("transaction", next), Self.yes, Self.ada]))
        #expect(arrival["code"] != nil)
    }

    @Test func `login_hint preselects the account`() throws {
        let harness = try IdentityServiceHarness.shared.get()
        let grace = try harness.page(.google.with(("login_hint", "GRACE@example.com"))).text
        #expect(grace.contains("value=\"grace@example.com\" checked"))
        let unknown = try harness.page(.google.with(("login_hint", "new@example.com"))).text
        #expect(unknown.contains("value=\"new\" checked"))
        #expect(unknown.contains("name=\"new_email\" value=\"new@example.com\""))
    }

    @Test func `a requested domain excludes accounts of others`() throws {
        let harness = try IdentityServiceHarness.shared.get()
        let app = ClientApp.google.with(("hd", "corp.example"))
        #expect(try !harness.page(app).text.contains("ada@example.com"))
        try expectEqual(harness.approve(app)["error"], "access_denied")
        #expect(try harness.approve(app, as: "bob@Corp.Example")["code"] != nil)
        let any = ClientApp.google.with(("hd", "*"))
        #expect(try harness.approve(any)["code"] != nil)
        try expectEqual(harness.approve(any, as: "bob@gmail.com")["error"], "access_denied")
    }

    @Test func `prompt=none requires an existing consent`() throws {
        let harness = try IdentityServiceHarness()
        let app = ClientApp.acme.with(("prompt", "none"))
        try expectEqual(RedirectResult(harness.page(app))["error"], "login_required")
        let hinted = app.with(("login_hint", "ada@example.com"))
        try expectEqual(RedirectResult(harness.page(hinted))["error"], "interaction_required")
        _ = try harness.approve(.acme)
        #expect(try RedirectResult(harness.page(hinted))["code"] != nil)
        let more = hinted.with(("scope", "openid address"))
        try expectEqual(RedirectResult(harness.page(more))["error"], "interaction_required")
    }

    @Test func `an ID token without a code is returned in the fragment`() throws {
        let harness = try IdentityServiceHarness.shared.get()
        let app = ClientApp.acme.with(("response_type", "id_token"))
        let location = try harness.get(
            app.with(("latchkey_account", "ada@example.com")).target
        ).header("location")
        expectEqual(location?.hasPrefix(ClientApp.callback + "#"), true)
        let arrival = try harness.approve(app)
        expectEqual(arrival["code"], nil)
        let token = try harness.verify(
            try #require(arrival["id_token"]), "acme", "acme-client")
        expectEqual(token.claims["c_hash"], nil)
    }

    @Test func `the query of a redirect URI is kept`() throws {
        let harness = try IdentityServiceHarness.shared.get()
        let location = try harness.get(
            ClientApp.acme.with(
                ("redirect_uri", "com.example.app:/cb?x=1"),
                ("latchkey_account", "ada@example.com")
            ).target
        ).header("location")
        expectEqual(location?.hasPrefix("com.example.app:/cb?x=1&state=st&code="), true)
    }
}

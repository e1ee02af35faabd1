import BaseTestSupport
import EmulatorBase
import EmulatorThirdParties

@Suite struct PageTests {
    @Test func `request parameters are escaped in pages`() throws {
        let harness = try IdentityServiceHarness()
        let evil = "\"><script>alert(1)</script>'&x@y"
        _ = try harness.post(
            "/_idp/apple/accounts", json: ["email": "eve@example.com", "name": .string(evil)])
        let app = ClientApp.apple.with(
            ("client_id", "<i>app</i>".replacing("/", with: "")), ("state", evil),
            ("login_hint", evil), ("nonce", "n"))
        let pages = [
            try harness.page(app).text,
            try harness.get(app.with(("latchkey_account", "eve@example.com")).target).text,
            try harness.get(app.with(("response_type", evil)).target).text,
            try harness.get(app.with(("redirect_uri", evil)).target).text,
        ]
        for page in pages {
            #expect(!page.contains("<script>alert"))
            #expect(!page.contains("<i>"))
        }
        #expect(pages[0].contains("&lt;i&gt;app&lt;i&gt;"))
        // Escaped values are submitted unchanged.
        try expectEqual(
            RedirectResult(
                harness.get(app.with(("latchkey_account", "eve@example.com")).target))[
                    "state"], evil)
    }

    @Test func `pages load no resources, run no foreign scripts, and cannot be framed`() throws {
        let harness = try IdentityServiceHarness.shared.get()
        let page = try harness.page(.apple)
        let policy = try #require(page.header("content-security-policy"))
        #expect(policy.contains("default-src 'none'"))
        #expect(policy.contains("frame-ancestors 'none'"))
        #expect(!policy.contains("script-src"))
        #expect(!page.text.contains("<script"))
        expectEqual(page.header("cache-control"), "no-store")
        #expect(!page.text.contains("src="))
        let post = try harness.get(
            ClientApp.apple.with(("latchkey_account", "ada@example.com")).target)
        let nonce = try #require(post.text.attribute("nonce"))
        #expect(
            try #require(post.header("content-security-policy"))
                .contains("script-src 'nonce-\(nonce)'"))
        // There is a button if scripts are disabled.
        #expect(post.text.contains("<button class=\"main\">Continue</button>"))
    }

    @Test func `a page can be submitted once, within ten minutes`() throws {
        let harness = try IdentityServiceHarness()
        let choice = [("account", "ada@example.com"), ("decision", "approve")]
        let transaction = try #require(try harness.page(.google).text.transaction)
        let form = [("transaction", transaction)] + choice
        try expectEqual(harness.post("/_idp/google/decision", form: form).status, 303)
        let again = try harness.post("/_idp/google/decision", form: form)
        expectEqual(again.status, 400)
        #expect(again.text.contains("This page has expired or was used before"))

        let late = try #require(try harness.page(.google).text.transaction)
        // A page of another issuer is refused.
        let elsewhere = try harness.post(
            "/_idp/acme/decision", form: [("transaction", late)] + choice)
        expectEqual(elsewhere.status, 400)
        harness.environment.advance(.minutes(10))
        let over = try harness.post("/_idp/google/decision", form: [("transaction", late)] + choice)
        expectEqual(over.status, 400)
        try expectEqual(harness.post("/_idp/google/decision", form: choice).status, 400)
    }
}

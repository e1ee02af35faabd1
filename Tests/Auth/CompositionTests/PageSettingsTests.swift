/// `UI`, `UI_LOGO`, `UI_COLOR` and `UI_RETURN`.
@Suite("Page settings") struct PageSettingsTests {
    let deployment: TestDeployment

    init() throws { deployment = try TestDeployment() }

    private var standard: [String: String] {
        [
            "STORE": "memory:", "MAIL_URL": "folder:\(deployment.path("mail"))",
            "OMITTED_FUNCTIONS": "credentials,admin-login",
        ]
    }

    private func problems(_ settings: [String: String]) -> [String] {
        deployment.problems(
            standard.merging(["UI": "on"]) { $1 }.merging(settings) { $1 }, of: "ui")
    }

    /// - Parameter function: nil for the whole contract in one function.
    private func page(
        _ settings: [String: String], of function: String? = "ui",
        at path: String = "/auth/ui/signin"
    ) throws -> Reply? {
        let settings = standard.merging(settings) { $1 }
        let handler =
            try function.map { try deployment.handler(settings, of: $0) }
            ?? LatchkeyFunction.contractHandler(deployment.assembly(settings), deployment.log)
        guard case .request(let serve) = handler.kind else { return nil }
        return serve(Request(method: "GET", path: path, requestID: "1"))
    }

    @Test func `the root of a function for the whole contract redirects to the sign-in`() throws {
        let settings = ["UI": "on", "MASTER_KEY": String(repeating: "k", count: 40)]
        let whole = try #require(try page(settings, of: nil, at: "/"))
        expectEqual(whole.status, 303)
        #expect(whole.headers.contains { $0.name == "location" && $0.value == "auth/ui/signin" })
        expectEqual(try page(settings, at: "/nope")?.status, 404)
    }

    @Test func `a server without pages needs no settings of pages`() throws {
        let mailing = [
            "register", "resend-verification", "forgot-password", "reset-password",
            "change-password", "magic-link", "redeem-magic-link", "add-password", "confirm-email",
            "change-email", "users", "housekeeping", "link", "methods", "second-factor", "totp",
            "passkeys", "step-up", "merge", "delete-account", "apple-notifications", "credentials",
            "admin-login", "audit", "webhooks",
        ]
        let settings = [
            "STORE": "memory:", "OMITTED_FUNCTIONS": mailing.joined(separator: ","),
            "APPLE_CLIENT_IDS": "com.example.app", "MASTER_KEY": String(repeating: "k", count: 40),
        ]
        func problems(_ ui: String) -> [String] {
            do {
                _ = try LatchkeyFunction.contractHandler(
                    deployment.assembly(settings.merging(["UI": ui]) { $1 }), deployment.log)
                return []
            } catch {
                return error.problems
            }
        }
        expectEqual(problems("off"), [])
        #expect(problems("on").contains { $0.hasPrefix("MAIL_URL is required") })
    }

    @Test func `wrong settings are refused by name`() {
        expectEqual(problems([:]), [])
        expectEqual(problems(["UI": "yes", "LINK_BASE": "https://a.example"]).count, 1)
        // LINK_BASE is not reported too, although its default begins with ISSUER.
        expectEqual(
            problems(["UI": "on", "ISSUER": "http://example.com"]),
            ["ISSUER must be an https URL (http only for this machine)"])
        expectEqual(
            problems(["UI": "on", "ISSUER": "https://a.example # mine"]),
            [
                "ISSUER must be an https URL (http only for this machine); "
                    + "a comment needs a line of its own"
            ])
        expectEqual(
            problems(["DPOP": "required"]),
            ["UI: pages cannot prove a key, which DPOP=required asks for"])
        for good in ["#2f5bd7", "#FFFFFF"] { expectEqual(problems(["UI_COLOR": good]), []) }
        for bad in ["red", "#fff", "2f5bd7", "#2f5bd7;", "#2f5bd7}"] {
            expectEqual(problems(["UI_COLOR": bad]), ["UI_COLOR must be a colour such as #2f5bd7"])
        }
    }

    static let logos: [(String, Bool)] = [
        ("https://cdn.example.com/logo.svg", true), ("https://cdn.example.com:8443/a/b.png", true),
        ("data:image/png;base64,aGVsbG8=", true), ("data:image/svg+xml;base64,aGVsbG8=", true),
        ("http://cdn.example.com/logo.svg", false), ("https://", false),
        ("https://cdn.example.com; script-src *", false), ("https://cdn.example.com'/x", false),
        ("https://cdn.example.com\"/x", false), ("https://cdn.exämple.com/x", false),
        ("data:image/gif;base64,aGVsbG8=", false), ("data:text/html;base64,aGVsbG8=", false),
        ("data:image/png;base64,a", false), ("data:image/png,hello", false),
        ("javascript:alert(1)", false), ("logo.svg", false),
        ("https://user@cdn.example.com/x", false), ("https://*/x", false),
        ("https://cdn.example.com;/x", false), ("https://cdn.example.com,evil.example/x", false),
    ]

    @Test(arguments: logos)
    func `a logo is an https URL or an embedded image`(logo: String, isGood: Bool) {
        let found = problems(["UI_LOGO": logo])
        expectEqual(found.isEmpty, isGood)
        #expect(found.allSatisfy { $0.hasPrefix("UI_LOGO must be an https URL") })
    }

    static let returns: [(String, Bool)] = [
        ("https://app.example.com/signed-in", true), ("https://app.example.com", true),
        ("https://app.example.com:8443/a?b=c&d", true), ("https://app.example.com?a=b", true),
        ("http://localhost:3000/back", true), ("http://127.0.0.1/back", true),
        ("http://[::1]:3000/", true), ("com.example.app:/signed-in", true),
        ("com.example.app://signed-in?a=b", true), ("https://a.example/x,com.example.app:/y", true),
        ("http://app.example.com/signed-in", false), ("http://localhost.evil.example/", false),
        ("http://localhost@evil.example/", false), ("http://localhost:x/", false),
        ("http://127.0.0.1.evil.example/", false), ("http://[::1].evil.example/", false),
        ("https://", false), ("https:///x", false), ("https://app.example.com/#x", false),
        ("https://user@app.example.com/", false), ("https://*.example.com/", false),
        ("https://app.example.com;/x", false), ("https://app.ex\u{00E4}mple.com/", false),
        ("https://app.example.com/a b", false), ("https://app.example.com/\"", false),
        ("https://app.example.com\\@evil.example/", false), ("//app.example.com/", false),
        ("/signed-in", false), ("app:/signed-in", false), ("javascript:alert(1)", false),
        ("data:text/html,x", false), ("1.example.app:/x", false), ("com.example.app", false),
        ("https://a.example/" + String(repeating: "a", count: 512), false),
        ((0...32).map { "https://a.example/\($0)" }.joined(separator: ","), false),
    ]

    @Test(arguments: returns)
    func `a return address needs https, this machine, or a reversed domain as scheme`(
        addresses: String, isGood: Bool
    ) {
        let found = problems(["UI_RETURN": addresses])
        expectEqual(found.isEmpty, isGood)
        #expect(found.allSatisfy { $0.hasPrefix("UI_RETURN must be at most 32 addresses") })
    }

    @Test(arguments: [
        ("app.example.com", "; app.example.com lacks https://"),
        ("localhost:3000/in", "; localhost:3000/in lacks http://"),
        ("GOCSPX-a.b", "without a fragment"), ("s3cret", "without a fragment"),
        ("myapp://in", "; myapp://in has no dot in its scheme"),
        ("https://a.example/#x", "; https://a.example/#x has a fragment"),
        ("http://a.example/", "is neither https nor a valid address of this machine"),
    ])
    func `the error shows a wrong return address and its fault, but no possible secret`(
        address: String, end: String
    ) {
        let found = problems(["UI_RETURN": address])
        #expect(found.count == 1 && found[0].hasSuffix(end), "\(found)")
    }

    private static let google = [
        "GOOGLE_CLIENT_IDS": "app,web", "GOOGLE_WEB_CLIENT_ID": "web",
        "GOOGLE_CLIENT_SECRET": "secret",
    ]

    @Test func `pages offer a provider only with a client for browsers`() throws {
        func body(_ settings: [String: String]) throws -> String {
            let reply = try page(settings.merging(["UI": "on"]) { $1 })
            guard case .text(let text, _)? = reply?.body else { return "" }
            return text
        }
        #expect(try body(Self.google).contains("Continue with Google"))
        let acme = [
            "OIDC_PROVIDERS": "acme", "OIDC_ACME_ISSUER": "https://id.example.com",
            "OIDC_ACME_CLIENT_IDS": "a", "OIDC_ACME_WEB_CLIENT_ID": "a",
        ]
        #expect(try body(acme).contains("Continue with acme"))
        #expect(!(try body(["GOOGLE_CLIENT_IDS": "app,web"]).contains("Google")))
    }

    @Test(arguments: [
        ("GOOGLE_WEB_CLIENT_ID", "other", "must be one of GOOGLE_CLIENT_IDS"),
        ("GOOGLE_CLIENT_SECRET", "", "needs GOOGLE_CLIENT_SECRET"),
        ("APPLE_WEB_CLIENT_ID", "com.example.app", "needs APPLE_PRIVATE_KEY"),
    ])
    func `a client for browsers needs all of its settings`(
        name: String, value: String, message: String
    ) {
        var settings = Self.google.merging(["APPLE_CLIENT_IDS": "com.example.app"]) { $1 }
        expectEqual(problems(settings), [])
        settings[name] = value
        let found = problems(settings)
        #expect(found.count == 1 && found[0].hasSuffix(message), "\(found)")
    }
}

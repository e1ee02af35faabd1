import AuthPages
import FunctionRuntime

/// The settings, the warnings and the test mail on the page of the system.
@Suite("Administrator's page of settings") struct AdminSettingsTests {
    private func kit(_ settings: [String: DeploymentSetting] = [:]) throws -> ContractKit {
        let previews = MailPreviews(
            languages: ["en"], standardLanguage: "en", sender: "x"
        ) { _ in nil }
        return try ContractKit(
            .latchkey, mail: FakeMailSystem(), previews: previews, settings: settings)
    }

    private func system(_ kit: ContractKit, bearer: String? = nil) -> String {
        let answer = kit.http(
            "GET", "/admin/ui/system", bearer: bearer, type: nil,
            cookies: bearer == nil ? kit.administratorCookies() : [])
        return answer.text
    }

    @Test func `every documented setting is listed with its value, source and meaning`() throws {
        let page = system(
            try kit([
                "STORE": DeploymentSetting(value: "sqlite:x.db", source: .file),
                "MASTER_KEY": DeploymentSetting(value: nil, source: .credential),
                "GUESTS": DeploymentSetting(value: "<b>off</b>", source: .environment),
            ]))
        for part in [
            "<code>STORE</code></dt><dd><code>sqlite:x.db</code> <span class=\"tag\">file</span>",
            "<code>MASTER_KEY</code></dt><dd><b>set</b> <span class=\"tag\">systemd credential",
            "<code>&lt;b&gt;off&lt;/b&gt;</code>", "<code>TRUSTED_HOPS</code>", "not set, so 0",
            "your proxies that append to X-Forwarded-For", "<code>RATE_LIMITS</code>",
            "<code>ADMIN_PASSWORD_HASH</code>", "<code>MAIL_FROM</code>",
        ] { #expect(page.contains(part), "\(part)") }
        #expect(page.contains("<summary>Identity providers ("))
        // No marks of the document's own.
        #expect(!page.contains("](") && !page.contains("| |") && !page.contains("Apple's also"))
    }

    @Test(arguments: [
        (SettingsFiles(), "", ""),
        (SettingsFiles(standard: "latchkey.env"), "", "--env-file latchkey.env "),
        (SettingsFiles(named: ["/a/b.env"]), "--env-file /a/b.env ", "--env-file /a/b.env "),
    ])
    func `commands name the files of the server's settings`(
        files: SettingsFiles, ofBackup: String, ofEvent: String
    ) throws {
        let page = system(try ContractKit(.latchkey, settingsFiles: files))
        let start = "<code tabindex=\"0\">latchkey "
        #expect(page.contains("\(start)\(ofBackup)backup latchkey-"), "\(page)")
        #expect(page.contains("\(start)\(ofEvent)--event "))
        let odd = system(
            try ContractKit(.latchkey, settingsFiles: SettingsFiles(named: ["a b's.env"])))
        #expect(odd.contains(#"--env-file &#39;a b&#39;\&#39;&#39;s.env&#39; backup"#), "\(odd)")
    }

    @Test func `only administrators see the settings`() throws {
        let kit = try kit()
        let user = kit.signedIn().json
        let id = try #require(user?["user"]?["id"]?.stringValue)
        let bearer = try #require(user?["accessToken"]?.stringValue)
        let given = kit.http(
            "PUT", "/auth/users/\(id)/role", #"{"role":"support","password":"open sesame"}"#,
            cookies: kit.administratorCookies())
        expectEqual(given.status, 200)
        let page = system(kit, bearer: bearer)
        #expect(page.contains("<h1>System</h1>"))
        #expect(!page.contains(">Settings</h2>") && !page.contains("test-mail"))
    }

    @Test func `warnings name risky settings, and disappear when they are changed`() throws {
        let bad = try kit([
            "MAIL": DeploymentSetting(value: "folder:mail", source: .standard),
            "RATE_LIMITS": DeploymentSetting(value: "off", source: .environment),
        ])
        let id = try #require(
            bad.signedIn(FakeIdentity { $0.email = "ada@example.com" }).json?["user"]?["id"]?
                .stringValue)
        _ = bad.http(
            "PUT", "/auth/users/\(id)/role", #"{"role":"viewer","password":"open sesame"}"#,
            cookies: bad.administratorCookies())
        let page = system(bad)
        for part in [
            "An account with a role has no second factor: ", "nobody receives them",
            "Guesses are not limited",
        ] { #expect(page.contains(part), "\(part)") }
        let good = system(
            try kit(["MAIL": DeploymentSetting(value: "smtp://m.example", source: .file)]))
        #expect(!good.contains(">Warnings</h2>"))
    }

    @Test(arguments: [true, false])
    func `mails that the hook delivers are not written to a folder`(_ isSent: Bool) throws {
        let kit = try ContractKit(
            .latchkey, mail: FakeMailSystem(),
            settings: ["MAIL_URL": DeploymentSetting(value: "folder:mail", source: .standard)],
            hooks: isSent ? [.send] : [.beforeSignIn])
        expectEqual(system(kit).contains("nobody receives them"), !isSent)
    }

    @Test func `a test mail shows the server's answer, after the password`() throws {
        let kit = try kit()
        let cookies = kit.administratorCookies()
        let page = kit.http("GET", "/admin/ui/system", type: nil, cookies: cookies)
        let token = try page.formToken
        func send(_ password: String) -> Answer {
            kit.submit(
                "/admin/ui/system/test-mail",
                [
                    ("form", token), ("email", "ada@example.com"), ("reason", "x"),
                    ("password", password),
                ], cookies: cookies)
        }
        expectEqual(send("guess").status, 401)
        let answer = send("open sesame")
        expectEqual(answer.status, 200)
        #expect(answer.text.contains("Not sent"))
        #expect(answer.text.contains("550 &lt;ada@example.com&gt; is unknown"))
        #expect(
            kit.http("GET", "/admin/ui/system", type: nil, cookies: cookies).text
                .contains("Test mail sent"))
    }
}

import TestSupport

/// The pages of sign-in and account.
@Suite("Pages", .blocking) struct PageTests {
    @Test(arguments: ["pages.py", "account_pages.py", "device_pages.py"])
    func `people can use the pages without scripts, and other sites cannot`(script: String) throws {
        try OtherBrowserPageTests.check(ClientScript(script: script))
    }

    @Test(arguments: ["admin_pages.py", "page_hosts.py", "first_contact.py"])
    func `the server's pages work for many users, but not under another site's name`(
        script: String
    ) throws {
        try ClientScript(
            script: script,
            environment: [("LATCHKEY", BuiltExecutables.path(of: "latchkey"))]
        ).check(EmulatorProcess.shared())
    }
}

/// The same pages in Firefox and WebKit.
@Suite("Pages in other browsers", .blocking) struct OtherBrowserPageTests {
    @Test(
        .enabled(if: !WebClientTests.others.isEmpty, "Firefox and WebKit: make test-browsers"),
        arguments: WebClientTests.others)
    func `pages also work in the other browsers`(name: String) throws {
        try Self.check(ClientScript(script: "page_browsers.py", environment: [("BROWSER", name)]))
    }

    fileprivate static func check(_ script: ClientScript) throws {
        let template = try BuiltTemplate(
            "latchkey",
            changes: [
                ("myapp://auth", "{url}/auth/ui"),
                // The app is at another origin.
                ("com.example.app:/signed-in\",\"GoogleWeb", "{awsUrl}/app\",\"GoogleWeb"),
            ])
        let emulator = try EmulatorProcess(template: template.path, ["--strict"])
        try script.check(emulator)
    }
}

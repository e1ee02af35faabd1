import TestSupport
import Testing

/// The pages of sign-in and account.
@Suite("Pages") struct PageTests {
    @Test(arguments: ["pages.py", "account_pages.py", "device_pages.py"])
    func `people use them without scripts, and other sites cannot`(script: String) throws {
        try Self.check(ClientScript(script: script))
    }

    @Test(
        .enabled(if: !WebClientTests.others.isEmpty, "Firefox and WebKit: make test-browsers"),
        arguments: WebClientTests.others)
    func `they do so in the other browsers`(name: String) throws {
        try Self.check(
            ClientScript(script: "page_browsers.py", environment: [("BROWSER", name)]))
    }

    private static func check(_ script: ClientScript) throws {
        let template = try BuiltTemplate(
            "latchkey",
            changes: [
                ("myapp://auth", "{url}/auth/ui"),
                // The app is at another origin.
                ("\"Pages\": \"on\"", "\"Pages\": \"on\", \"PageReturns\": \"{awsUrl}/app\""),
            ])
        let emulator = try EmulatorProcess(template: template.path, ["--strict"])
        try script.check(emulator)
    }
}

import TestSupport
import Testing

/// The pages of sign-in and account, in Chromium.
@Suite("Pages") struct PageTests {
    @Test(arguments: ["pages.py", "account_pages.py"])
    func `people use them without scripts, and other sites cannot`(script: String) throws {
        let template = try BuiltTemplate(
            "latchkey",
            changes: [
                ("myapp://auth", "{url}/auth/ui"),
                // The app is at another origin.
                ("\"Pages\": \"on\"", "\"Pages\": \"on\", \"PageReturns\": \"{awsUrl}/app\""),
            ])
        let emulator = try EmulatorProcess(template: template.path, ["--strict"])
        try ClientScript(script: script).check(emulator)
    }
}

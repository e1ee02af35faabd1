import TestSupport
import Testing

/// The pages of sign-in and account, in Chromium.
@Suite("Pages") struct PageTests {
    @Test func `people use them without scripts, and other sites cannot`() throws {
        let template = try BuiltTemplate(
            "latchkey",
            changes: [
                ("myapp://auth", "{url}/auth/ui"),
                // The app is at another origin.
                ("\"Pages\": \"on\"", "\"Pages\": \"on\", \"PageReturns\": \"{awsUrl}/app\""),
            ])
        let emulator = try EmulatorProcess(template: template.path, ["--strict"])
        try ClientScript(script: "pages.py").check(emulator)
    }
}

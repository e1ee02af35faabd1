import Foundation
import TestSupport

/// The sample app that `make run` serves, Examples/playground.
@Suite("The playground", .blocking)
struct PlaygroundTests {
    @Test func `a newcomer completes every step in Chromium`() throws { try Self.check("chromium") }

    @Test(
        .enabled(if: !WebClientTests.others.isEmpty, "Firefox and WebKit: make test-browsers"),
        arguments: WebClientTests.others)
    func `the playground works in other browsers`(name: String) throws { try Self.check(name) }

    private static func check(_ browser: String) throws {
        let template = try BuiltTemplate("latchkey")
        let folder = RepositoryRoot.url.appending(path: "Examples/playground")
        let emulator = try EmulatorProcess(
            template: template.path, ["--playground", folder.path(percentEncoded: false)])
        let url = try #require(emulator.playgroundURL)
        try ClientScript(
            script: "playground.py", environment: [("BROWSER", browser), ("PLAYGROUND", url)]
        ).check(emulator)
    }
}

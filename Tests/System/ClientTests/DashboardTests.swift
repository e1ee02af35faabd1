import Foundation
import TestSupport

/// The developer's dashboard at the root of the control port, in Chromium, in one process.
@Suite("The dashboard", .blocking)
struct DashboardTests {
    @Test func `a developer completes every step in Chromium`() throws {
        let template = try BuiltTemplate("latchkey")
        let folder = RepositoryRoot.url.appending(path: "Examples/playground")
        let emulator = try EmulatorProcess(
            template: template.path, ["--playground", folder.path(percentEncoded: false)])
        let url = try #require(emulator.playgroundURL)
        let program = BuiltExecutables.path(of: "emulator")
        try ClientScript(
            script: "dashboard.py",
            environment: [
                ("CONTROL_URL", emulator.controlURL), ("PLAYGROUND", url), ("EMULATOR", program),
                ("EXECUTABLES", String(program.dropLast("/emulator".count))),
            ]
        ).check(emulator)
    }
}

import Foundation
import TestSupport

/// `Tests/Provider`: requests and real OAuth clients.
@Suite("Provider, from outside", .blocking)
struct ProviderSuiteTests {
    @Test func `requests and clients of OAuth and OpenID Connect get standard answers`()
        throws
    {
        try judge(["--executable", BuiltExecutables.path(of: "latchkey")])
    }

    @Test func `clients of OAuth and OpenID Connect work with the functions of the template`()
        throws
    {
        try judge([
            "--emulator", BuiltExecutables.path(of: "emulator"), "--only",
            "judges|checks/(administration|codes|documents|gateway|hooks|metadata|refresh|"
                + "separation)",
        ])
    }

    private func judge(_ arguments: [String]) throws {
        let suite = RepositoryRoot.url.appending(path: "Tests/Provider")
        var command = Command(
            try VirtualEnvironment.program("python"),
            [suite.path(percentEncoded: false)] + arguments)
        let home = try TemporaryFolder()
        command.folder = home
        command.environment = [
            ("HOME", home.path), ("TMPDIR", home.path), ("LC_ALL", "C.UTF-8"),
            ("PATH", "/usr/bin:/bin"),
        ]
        let result = try ChildProcess.run(command)
        #expect(
            result.end == .exit(0) && result.text.contains(/\n[1-9][0-9]* passed, 0 failed/),
            "\(result.text)\n\(result.errorText)")
    }
}

import Foundation
import TestSupport

/// The cases of `make conformance`: the emulator's responses beside the known responses of AWS.
@Suite("Conformance", .blocking)
struct ConformanceTests {
    @Test func `every case passes unless a reason is stated`() throws {
        let cases = URL(filePath: #filePath).deletingLastPathComponent()
            .appending(path: "../../Conformance").standardized.path(percentEncoded: false)
        var command = Command(
            try VirtualEnvironment.program("python"),
            [cases, "--emulator", BuiltExecutables.path(of: "emulator")])
        let home = try TemporaryFolder()
        command.folder = home
        command.environment = [
            ("HOME", home.path), ("TMPDIR", home.path), ("LC_ALL", "C.UTF-8"),
            ("PATH", "/usr/bin:/bin"),
        ]
        let result = try ChildProcess.run(command)
        expectEqual(result.end, .exit(0), "\(result.text)\n\(result.errorText)")
    }
}

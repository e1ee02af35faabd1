import Foundation
import TestSupport

/// A script of `Clients/` that checks an emulator with a real client.
struct ClientScript {
    let script: String
    /// Variables for the script, in addition to the emulator's URLs.
    var environment: [(name: String, value: String)] = []

    /// Runs the script; on failure its output is the error.
    func check(_ emulator: EmulatorProcess) throws {
        let path = Self.path("Clients/\(script)")
        var command = Command(try VirtualEnvironment.program("python"), [path])
        let home = try TemporaryFolder()
        command.folder = home
        command.environment =
            [
                ("APP_URL", emulator.appURL), ("AWS_ENDPOINT_URL", emulator.awsURL),
                ("AWS_ACCESS_KEY_ID", EmulatorProcess.developerKey),
                ("AWS_SECRET_ACCESS_KEY", EmulatorProcess.developerKey),
                ("AWS_REGION", "us-east-1"), ("AWS_DEFAULT_REGION", "us-east-1"),
                ("AWS_EC2_METADATA_DISABLED", "true"), ("HOME", home.path), ("TMPDIR", home.path),
                ("LC_ALL", "C.UTF-8"), ("PYTHONUNBUFFERED", "1"),
                ("PATH", "\(VirtualEnvironment.programFolder):/usr/bin:/bin"),
            ] + environment
        let result = try ChildProcess.run(command)
        let errors = emulator.log.split(separator: "\n").filter { $0.contains(#""error""#) }
        #expect(
            result.end == .exit(0) && result.text.contains(/[1-9][0-9]* passed, 0 failed/),
            """
            \(script)\n\(result.text)\n\(result.errorText)
            errors of the functions:\n\(errors.joined(separator: "\n"))
            the emulator:\n\(emulator.log)
            """)
    }

    /// The path of a file in this target.
    static func path(_ name: String) -> String {
        URL(filePath: #filePath).deletingLastPathComponent().appending(path: name)
            .path(percentEncoded: false)
    }
}

internal import Foundation

/// `emulator serve` as it was built beside the tests, on ports that the system chooses. It is
/// killed when nobody holds it any more, and with the test's own process.
package final class RunningEmulator: Sendable {
    package let process: ChildProcess
    package let appPort: UInt16
    package let awsPort: UInt16
    /// Ends the emulator when the test's process ends, however that comes: its input is ours.
    private let leash: ChildProcess

    package var appURL: String { "http://127.0.0.1:\(appPort)" }
    package var awsURL: String { "http://127.0.0.1:\(awsPort)" }

    /// The folder of what was built beside the tests.
    package static var builtFolder: String {
        URL(filePath: CommandLine.arguments[0]).deletingLastPathComponent()
            .path(percentEncoded: false)
    }

    package static func command(_ arguments: [String]) -> Command {
        var command = Command("\(builtFolder)/emulator", arguments)
        command.environment = [("PATH", "/usr/local/bin:/usr/bin:/bin")]
        return command
    }

    package static func serving(_ arguments: [String]) -> Command {
        command(["serve", "--port", "0", "--aws-port", "0"] + arguments)
    }

    /// Returns once it serves; throws, with all that it said, when it does not.
    package convenience init(_ arguments: [String]) throws {
        try self.init(command: Self.serving(arguments))
    }

    package init(command: Command) throws {
        let process = try ChildProcess(command)
        self.process = process
        // The program may be a shell that becomes it: the number stays.
        var reins = Command(
            "/bin/sh", ["-c", #"read -r line; kill -s KILL "$0""#, "\(process.pid)"])
        reins.input = .stream
        leash = try ChildProcess(reins)
        // The last thing that it says.
        var ports: [UInt16] = []
        let isServing = process.waits {
            let lines = process.textSoFar.output.split(separator: "\n")
            ports = ["app side", "AWS side"].compactMap { side in
                lines.first { $0.contains(side) }?.split(separator: ":").last.flatMap { UInt16($0) }
            }
            return ports.count == 2
        }
        guard isServing, ports.count == 2 else {
            leash.kill(SIGKILL)
            process.kill(SIGKILL)
            let result = process.wait()
            throw EmulatorFailure(description: "\(result.end)\n\(result.text)\n\(result.errorText)")
        }
        (appPort, awsPort) = (ports[0], ports[1])
    }

    deinit { leash.kill(SIGKILL) }

    private static let started = Result { () throws -> (RunningEmulator, TemporaryFolder) in
        let folder = try TemporaryFolder()
        try folder.write(Array(plainTemplate.utf8), to: "template.json")
        return (
            try RunningEmulator([
                "--template", folder.file("template.json"), "--data", folder.file("state"),
            ]), folder
        )
    }

    /// One for the whole test process, with nothing in it but what the tests put there.
    package static func shared() throws -> RunningEmulator { try started.get().0 }

    /// No functions and a table that nobody needs.
    package static let plainTemplate = #"""
        {
          "AWSTemplateFormatVersion": "2010-09-09",
          "Transform": "AWS::Serverless-2016-10-31",
          "Resources": {
            "Table": {"Type": "AWS::Serverless::SimpleTable"}
          }
        }
        """#
}

package struct EmulatorFailure: Error, CustomStringConvertible {
    package let description: String
}

internal import Foundation

/// A running `emulator serve`, on ports that the system chooses.
///
/// It is the executable beside the test bundle, or in the directory that `LATCHKEY_EXECUTABLES`
/// names. It dies with the last reference to it, and with the test's process however that ends.
package final class EmulatorProcess: Sendable {
    package let process: ChildProcess
    package let appPort: UInt16
    package let awsPort: UInt16
    /// Kills the emulator when its input ends, whose other end is ours.
    private let leash: ChildProcess

    /// What the keys of the developer are; both are the same word.
    package static let developerKey = "latchkey"

    /// The template's routes, and the emulator's own controls.
    package var appURL: String { "http://127.0.0.1:\(appPort)" }
    /// Every service of AWS.
    package var awsURL: String { "http://127.0.0.1:\(awsPort)" }

    /// With no state. Waits until it serves.
    package convenience init(template: String, _ arguments: [String] = []) throws {
        try self.init(
            Self.serving(["--template", template, "--ephemeral", "--no-watch"] + arguments))
    }

    /// Waits until it serves; throws, with all that it said, when it does not.
    package init(_ command: Command) throws {
        let process = try ChildProcess(command)
        self.process = process
        // The program may be a shell that becomes it: the number stays.
        var reins = Command(
            "/bin/sh", ["-c", #"read -r line; kill -s KILL "$0""#, "\(process.pid)"])
        reins.input = .stream
        leash = try ChildProcess(reins)
        // The last thing of its start is to print these.
        var ports: [UInt16] = []
        _ = process.waits {
            ports = ["app", "AWS"].compactMap { Self.port($0, in: process) }
            return ports.count == 2
        }
        guard ports.count == 2 else {
            leash.kill(SIGKILL)
            _ = process.end().waitUntilGone()
            let end = process.wait().end
            throw EmulatorFailure.notStarted("\(end)\n\(Self.log(of: process))")
        }
        (appPort, awsPort) = (ports[0], ports[1])
    }

    deinit {
        leash.kill(SIGKILL)
        if process.isRunning { _ = process.end().waitUntilGone() }
    }

    /// All that it and its functions have said.
    package var log: String { Self.log(of: process) }

    private static func log(of process: ChildProcess) -> String {
        let (output, error) = process.textSoFar
        return output + error
    }

    private static func port(_ endpoint: String, in process: ChildProcess) -> UInt16? {
        let lines = process.textSoFar.output.split(separator: "\n", omittingEmptySubsequences: true)
        let line = lines.first { $0.hasPrefix("  \(endpoint) ") && $0.contains("http://") }
        return line?.split(separator: ":").last.flatMap { UInt16($0) }
    }
}

extension EmulatorProcess {
    /// Where the executables are that were built with the tests.
    package static var executables: String {
        if let folder = ProcessInfo.processInfo.environment["LATCHKEY_EXECUTABLES"],
            FileManager.default.isExecutableFile(atPath: "\(folder)/emulator")
        {
            return folder
        }
        return URL(filePath: CommandLine.arguments[0]).deletingLastPathComponent()
            .path(percentEncoded: false)
    }

    /// `emulator` with these arguments.
    package static func command(_ arguments: [String]) -> Command {
        var command = Command("\(executables)/emulator", arguments)
        command.environment = [("PATH", "/usr/local/bin:/usr/bin:/bin"), ("TZ", "UTC")]
        return command
    }

    /// `emulator serve` on free ports.
    package static func serving(_ arguments: [String]) -> Command {
        command(["serve", "--port", "0", "--aws-port", "0"] + arguments)
    }
}

// One for the whole test process, for tests that need no function.
extension EmulatorProcess {
    private static let started = Result { () throws -> (EmulatorProcess, TemporaryFolder) in
        let folder = try TemporaryFolder()
        try folder.write(Array(plainTemplate.utf8), to: "template.json")
        let command = serving([
            "--template", folder.file("template.json"), "--data", folder.file("state"),
        ])
        return (try EmulatorProcess(command), folder)
    }

    /// With its state in a folder, and nothing in it but what the tests put there.
    package static func shared() throws -> EmulatorProcess { try started.get().0 }

    private static let plainTemplate = #"""
        {
          "Transform": "AWS::Serverless-2016-10-31",
          "Resources": {"Table": {"Type": "AWS::Serverless::SimpleTable"}}
        }
        """#
}

package enum EmulatorFailure: Error, CustomStringConvertible {
    case notStarted(String)

    package var description: String {
        switch self {
        case .notStarted(let log): "the emulator has not started:\n\(log)"
        }
    }
}

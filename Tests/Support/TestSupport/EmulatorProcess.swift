internal import Foundation

/// A running `emulator serve` on free ports.
///
/// It is ended with the last reference to it, and when the test process ends for any reason.
package final class EmulatorProcess: Sendable {
    package let process: ChildProcess
    package let appPort: UInt16
    package let awsPort: UInt16
    package let controlPort: UInt16
    /// Kills the emulator when its standard input is closed; we hold the other end.
    private let supervisor: ChildProcess

    /// The developer's access key ID and secret key, which are the same.
    package static let developerKey = "latchkey"

    /// The URL of the template's routes and the control API.
    package var appURL: String { "http://127.0.0.1:\(appPort)" }
    /// The URL of all AWS services.
    package var awsURL: String { "http://127.0.0.1:\(awsPort)" }
    /// The URL of the controls for a browser.
    package var controlURL: String { "http://127.0.0.1:\(controlPort)" }
    /// The URL of the playground, with `--playground`.
    package var playgroundURL: String? {
        Self.port("try it", in: process).map { "http://localhost:\($0)" }
    }

    /// Without persistent state. Waits until it is ready.
    package convenience init(template: String, _ arguments: [String] = []) throws {
        try self.init(
            Self.serving(["--template", template, "--ephemeral", "--no-watch"] + arguments))
    }

    /// Waits until it is ready; otherwise throws an error with its output.
    package init(_ command: Command) throws {
        let process = try ChildProcess(command)
        self.process = process
        // If `command` is a shell that execs the program, the program keeps its pid.
        var supervision = Command(
            "/bin/sh", ["-c", #"read -r line; kill -s KILL "$0""#, "\(process.pid)"])
        supervision.input = .stream
        supervisor = try ChildProcess(supervision)
        // Printed at the end of the start.
        var ports: [UInt16] = []
        _ = process.waits {
            ports = ["app", "AWS", "controls"].compactMap { Self.port($0, in: process) }
            return ports.count == 3
        }
        guard ports.count == 3 else {
            supervisor.kill(SIGKILL)
            _ = process.end().waitUntilGone()
            let end = process.wait().end
            throw EmulatorFailure.notStarted("\(end)\n\(Self.log(of: process))")
        }
        (appPort, awsPort, controlPort) = (ports[0], ports[1], ports[2])
    }

    deinit {
        supervisor.kill(SIGKILL)
        if process.isRunning { _ = process.end().waitUntilGone() }
    }

    /// The output of the emulator and its functions.
    package var log: String { Self.log(of: process) }

    private static func log(of process: ChildProcess) -> String {
        let (output, error) = process.textSoFar
        return output + error
    }

    private static func port(_ endpoint: String, in process: ChildProcess) -> UInt16? {
        let lines = process.textSoFar.output.split(separator: "\n", omittingEmptySubsequences: true)
        let line = lines.first { $0.hasPrefix("  \(endpoint) ") && $0.contains("http://") }
        return line?.split(separator: ":").last.flatMap { UInt16($0.prefix { $0.isNumber }) }
    }
}

extension EmulatorProcess {
    /// The command `emulator` with these arguments.
    package static func command(_ arguments: [String]) -> Command {
        var command = Command(BuiltExecutables.path(of: "emulator"), arguments)
        command.environment = [("PATH", "/usr/local/bin:/usr/bin:/bin"), ("TZ", "UTC")]
        return command
    }

    /// The command `emulator serve` on free ports.
    package static func serving(_ arguments: [String]) -> Command {
        let keys = RepositoryRoot.issuerKeys
        return command(
            ["serve", "--port", "0", "--aws-port", "0", "--issuer-keys", keys] + arguments)
    }
}

// A shared emulator for the whole test process, for tests without functions.
extension EmulatorProcess {
    private static let started = Result { () throws -> (EmulatorProcess, TemporaryFolder) in
        let folder = try TemporaryFolder()
        try folder.write(Array(plainTemplate.utf8), to: "template.json")
        let command = serving([
            "--template", folder.file("template.json"), "--data", folder.file("state"),
        ])
        return (try EmulatorProcess(command), folder)
    }

    /// With its state in a directory that is initially empty.
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

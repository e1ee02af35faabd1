import BaseTestSupport
import Glibc

/// A function that listens.
final class HTTPProcess {
    let process: ChildProcess
    let port: UInt16

    convenience init(
        _ function: String, in deployment: Deployment,
        arguments: [String] = ["--listen", "127.0.0.1:0"]
    ) throws {
        var command = deployment.eventless(function)
        command.arguments = arguments
        try self.init(command)
    }

    init(_ command: Command) throws {
        let process = try ChildProcess(command)
        var port: UInt16?
        _ = process.waits {
            let lines = process.textSoFar.error.split(
                separator: "\n", omittingEmptySubsequences: false)
            port = lines.dropLast().compactMap(Self.listeningPort).last
            return port != nil || !process.isRunning
        }
        self.process = process
        self.port = try #require(port, "\(process.textSoFar.error)")
    }

    /// The port that a line of the log, as JSON or as text, says the server listens on.
    private static func listeningPort(_ line: Substring) -> UInt16? {
        guard line.contains(#""event":"listening""#) else {
            let parts = line.split(separator: " info listening address=")
            return parts.count == 2 ? port(of: parts[1]) : nil
        }
        let line = try? JSON.parse(Array(line.utf8), limits: .request)
        return line?["address"]?.stringValue.flatMap { port(of: $0) }
    }

    private static func port(of address: some StringProtocol) -> UInt16? {
        address.split(separator: ":").last.flatMap { UInt16($0) }
    }

    /// The address in the first line of an event, when there is one.
    func port(of event: String) throws -> UInt16 {
        var port: UInt16?
        _ = process.waits {
            for line in process.textSoFar.error.split(separator: "\n") {
                guard let line = try? JSON.parse(Array(line.utf8), limits: .request),
                    line["event"]?.stringValue == event
                else { continue }
                port = line["address"]?.stringValue.flatMap { Self.port(of: $0) }
            }
            return port != nil || !process.isRunning
        }
        return try #require(port, "\(process.textSoFar.error)")
    }

    func client() throws -> LoopbackClient { try LoopbackClient(port: port) }

    /// SIGTERM, and its result.
    func end() -> ProcessResult {
        process.kill(SIGTERM)
        return process.wait()
    }

    static func post(_ path: String, _ body: String) -> String {
        "POST \(path) HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\n"
            + "Content-Length: \(body.utf8.count)\r\n\r\n\(body)"
    }
}

extension Command {
    /// The executable of the server with these settings only, in a folder.
    static func latchkey(
        _ arguments: [String], _ settings: [(name: String, value: String)] = [],
        in folder: TemporaryFolder
    ) -> Command {
        var command = Command(BuiltExecutables.path(of: "latchkey"), arguments)
        command.environment = settings
        command.input = .closed
        return command.working(in: folder)
    }
}

extension TemporaryFolder {
    /// A server with its data in this folder.
    func command(
        _ settings: [(name: String, value: String)] = [],
        _ arguments: [String] = ["--listen", "127.0.0.1:0"]
    ) -> Command {
        .latchkey(arguments, settings, in: self)
    }
}

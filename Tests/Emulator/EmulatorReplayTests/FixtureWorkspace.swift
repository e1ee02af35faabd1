import BaseTestSupport
import EmulatorReplay
import Foundation

/// A folder of events, a folder of executables, and the output of commands.
final class FixtureWorkspace: Sendable {
    let folder: TemporaryFolder
    private let lines = Mutex<(printed: [String], noted: [String])>(([], []))

    init() throws { folder = try TemporaryFolder() }

    var events: String { folder.file("Events") }
    var executables: String { folder.file("built") }
    var printed: [String] { lines.withLock { $0.printed } }
    var noted: [String] { lines.withLock { $0.noted } }
    var last: String? { printed.last }
    var text: String { printed.joined(separator: "\n") }

    var output: ToolOutput {
        ToolOutput(
            print: { line in self.lines.withLock { $0.printed.append(line) } },
            note: { line in self.lines.withLock { $0.noted.append(line) } }, progress: nil)
    }

    func write(_ text: String, to path: String) throws {
        let url = URL(filePath: folder.file(path))
        try FileManager.default.createDirectory(
            at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
        try Data(text.utf8).write(to: url)
    }

    /// An executable of `built/`.
    func install(_ name: String, _ script: String) throws {
        try FileManager.default.createDirectory(
            atPath: executables, withIntermediateDirectories: true)
        try folder.replace("built/\(name)", with: Array(script.utf8), mode: 0o755)
    }

    /// The function of `Programs/session.py`.
    func installSession() throws {
        let program = URL(filePath: #filePath).deletingLastPathComponent()
            .appending(path: "Programs/session.py")
        try install("session", try String(contentsOf: program, encoding: .utf8))
    }

    func read(_ path: String) throws -> String {
        String(decoding: try folder.read(path), as: UTF8.self)
    }

    @discardableResult
    func replay(
        only: String? = nil, updates: Bool = false, events: String? = nil, store: String? = nil,
        permissions: String? = nil, costs: String? = nil,
        faults: Bool = false, transport: HTTPTransport = .unreachable
    ) -> Int32 {
        var options = ReplayCommand.Options(
            events: events ?? self.events, executables: executables, only: only, jobs: 2,
            store: store, updates: updates)
        options.permissions = permissions
        options.costs = costs.map(folder.file)
        options.isWithFaults = faults
        return ReplayCommand.run(
            options, to: output, transport: transport, clock: .system, random: .system)
    }
}

extension HTTPTransport {
    static let unreachable = HTTPTransport { _ throws(HTTPFailure) in
        throw .connectFailed(detail: "there is no network")
    }
}

import AuthTestSupport
import Contracts
import EmulatorReplay
import Foundation
import TestSupport

/// The fixtures against `latchkey`, which serves all functions in one process and speaks HTTP
/// itself: status, headers, cookies, body and log are those of the single functions.
@Suite("Replay by HTTP") struct HTTPReplayTests {
    @Test(arguments: chosen)
    func `a request gets the response of the function by HTTP`(_ fixture: Fixture) async throws {
        let problems = try await Self.replay.get().problems(of: fixture)
        guard !problems.isEmpty else { return }
        Issue.record("\(fixture):\n\(problems.joined(separator: "\n"))")
    }

    /// Some fixtures of each function: the differences from other hosts are the same for all of its
    /// requests, and each starts a server. One difference is not among them: a server starts
    /// without the features whose settings are missing, where the function of one does not start
    /// (`without-storage`, `without-a-relying-party`).
    private static let chosen: [Fixture] = {
        var counts: [String: Int] = [:]
        return Events.catalog.fixtures.filter { fixture in
            counts[fixture.function, default: 0] += 1
            return counts[fixture.function, default: 0] <= 4
        }
    }()

    private static let replay = Result { try BridgedReplay() }
}

/// A folder of programs with the names of the functions, which send their events to `latchkey`. The
/// steps before run the functions themselves.
final class BridgedReplay: Sendable {
    private let folder: TemporaryFolder
    private let replay: Replay

    init() throws {
        folder = try TemporaryFolder()
        let real = try ExecutableDirectory.find()
        let bridge = RepositoryRoot.url.appending(
            path: "Tests/System/FunctionTests/Bridges/http-bridge.py"
        ).path
        let known = Set(Contract.all.flatMap { $0.endpoints.map(\.operation.function) })
        for name in Set(Events.catalog.fixtures.map(\.function)) {
            // A server without the sign-in of administrators has no pages for them.
            let served: Set = name == "admin" ? [name, "admin-login"] : [name]
            let others = known.subtracting(served).sorted().joined(separator: ",")
            try folder.replace(
                name, withCommand: SystemPython.words + [bridge, real, name, others])
        }
        replay = try Replay(
            Events.catalog, settings: try FixtureSettings(folder: Events.root),
            executables: Executables(directory: real),
            judged: Executables(directory: folder.path), clock: .system, random: .system)
    }

    func problems(of fixture: Fixture) async -> [String] {
        await ConcurrencyLimit.shared.run { self.replay.outcome(of: fixture).problems }
    }
}

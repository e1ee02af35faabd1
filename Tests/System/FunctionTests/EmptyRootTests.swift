import BaseTestSupport
import EmulatorReplay
import Foundation

/// The executables that ship need no file of the machine: each answers in an empty root. In
/// `make test` only, because the debug executables load shared libraries.
@Suite("Functions in an empty root", .enabled(if: BuiltExecutables.areShipped), .hangLimit)
struct EmptyRootTests {
    private static let names = Set(Events.catalog.fixtures.map(\.function)).sorted()

    /// The first successful fixture of each function. Functions that redeem a mailed token have
    /// fixtures of refusals only.
    private static let fixtures: [Fixture] = names.compactMap { name in
        let own = Events.catalog.fixtures.filter {
            $0.function == name && Events.response($0) != nil
        }
        return own.first(where: isAnsweredWell) ?? own.first
    }

    private static func isAnsweredWell(_ fixture: Fixture) -> Bool {
        guard let response = Events.response(fixture) else { return false }
        let status = response["statusCode"]?.int64Value ?? 200
        return status < 400 && response["errorType"] == nil
    }

    @Test func `each function answers an event`() async throws {
        let root = try EmptyRoot(Self.names)
        try await Self.expectAnswers(of: root.directory)
    }

    @Test func `each function answers on AWS's runtime interface emulator`() async throws {
        try await Self.expectAnswers(by: "rie-bridge.py")
    }

    @Test func `each function answers on the emulator's Runtime API`() async throws {
        try await Self.expectAnswers(
            by: "emulator-bridge.py", BuiltExecutables.path(of: "emulator"))
    }

    /// - Parameter bridge: a program that answers one event by a bootstrap, its last argument.
    private static func expectAnswers(by bridge: String, _ arguments: String...) async throws {
        let root = try EmptyRoot(names)
        let folder = try TemporaryFolder()
        let program = RepositoryRoot.url.appending(
            path: "Tests/System/FunctionTests/Bridges/\(bridge)")
        for name in names {
            let words = [try VirtualEnvironment.program("python"), program.path] + arguments
            try folder.replace(name, withCommand: words + [root.path(of: name)])
        }
        try await expectAnswers(of: folder.path)
    }

    private static func expectAnswers(of directory: String) async throws {
        let replay = try Replay(
            Events.catalog, settings: try FixtureSettings(folder: Events.root),
            executables: Executables(directory: try ExecutableDirectory.find()),
            judged: Executables(directory: directory), clock: .system, random: .system)
        expectEqual(fixtures.map(\.function), names)
        for fixture in fixtures {
            let problems = await DetachedThread.value { replay.outcome(of: fixture).problems }
            expectEqual(problems, [], "\(fixture)")
        }
    }
}

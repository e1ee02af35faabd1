import BaseTestSupport
import EmulatorReplay
import Foundation

/// `emulator replay --faults` for one fixture or more of each route.
@Suite("Faults of the store", .enabled(if: BuiltExecutables.directory != nil), .hangLimit)
struct StoreFaultTests {
    @Test(arguments: chosen)
    func `after any failed store call the answer is correct or reports unavailability`(
        _ fixture: Fixture
    ) async throws {
        let replay = try Self.replay.get()
        let outcome = await ConcurrencyLimit.shared.run { replay.faults(of: fixture) }
        expectEqual(outcome.problems, [])
    }

    @Test func `more than a hundred fixtures are tested`() {
        #expect(Self.chosen.count > 100)
    }

    /// Those of docs/store-costs.md that make one to nine trips: scheduled work makes more.
    private static let chosen: [Fixture] = {
        let table = RepositoryRoot.url.appending(path: "docs/store-costs.md")
        let text = (try? String(contentsOf: table, encoding: .utf8)) ?? ""
        return text.matches(of: #/(?m)^\| `([a-z0-9/-]+)` \| [1-9] (?:\+ \d )?\|/#)
            .compactMap { row in Events.catalog.fixture(String(row.1)) }
    }()

    private static let replay = Result {
        try Replay(
            Events.catalog, settings: try Events.settings.get(),
            executables: Executables(directory: try ExecutableDirectory.find()),
            tables: try DynamoDBReplayTables(clock: .system, random: .system), clock: .system,
            random: .system)
    }
}

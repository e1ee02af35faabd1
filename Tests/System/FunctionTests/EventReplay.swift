import BaseTestSupport
import EmulatorReplay
import HTTPClient

/// Replays each fixture once, a few at a time, and caches the results.
actor EventReplay {
    /// In the store that `settings.json` sets, an SQLite file.
    static let sqlite = EventReplay { _ in nil }
    /// Through a connection pooler, so that the server needs fewer processes than there are
    /// functions.
    static let postgreSQL = EventReplay { _ in
        try PostgreSQLReplayTables(
            at: try PgBouncer.shared().url, authorities: { nil }, clock: .system, random: .system)
    }
    static let moto = EventReplay { settings in
        DynamoDBReplayTables(
            at: try MotoServer.shared().url, settings: settings,
            transport: CurlTransport(trust: CertificateTrust { _ in nil }).transport,
            clock: .system)
    }

    private let tables: @Sendable (FixtureSettings) throws -> (any ReplayTables)?
    private var replay: Result<Replay, any Error>?
    private var running: [String: Task<[String], Never>] = [:]

    private init(_ tables: @escaping @Sendable (FixtureSettings) throws -> (any ReplayTables)?) {
        self.tables = tables
    }

    /// The problems of a fixture.
    func problems(of fixture: Fixture) async -> [String] {
        if let task = running[fixture.name] { return await task.value }
        // Owned by `running`: all tests of the fixture wait for the same task.
        let task = Task { await run(fixture) }
        running[fixture.name] = task
        return await task.value
    }

    func expectNoProblem(of fixture: Fixture) async {
        let problems = await problems(of: fixture)
        guard !problems.isEmpty else { return }
        Issue.record("\(fixture):\n\(problems.joined(separator: "\n"))")
    }

    /// Replays everything; returns the detector with all secrets and outputs.
    func everything() async throws -> SecretLeakDetector {
        await withTaskGroup(of: Void.self) { group in
            for fixture in Events.catalog.fixtures {
                group.addTask { _ = await self.problems(of: fixture) }
            }
        }
        return try started().leakDetector
    }

    private func run(_ fixture: Fixture) async -> [String] {
        let replay: Replay
        do { replay = try started() } catch { return ["\(error)"] }
        return await ConcurrencyLimit.shared.run {
            let outcome = replay.outcome(of: fixture)
            if let update = outcome.update, outcome.isNew, let settings = try? Events.settings.get()
            {
                try? fixture.record(update, settings)
            }
            return outcome.problems + outcome.stsForms.flatMap { PolicyCheck.problems(in: $0) }
        }
    }

    private func started() throws -> Replay {
        if let replay { return try replay.get() }
        let result = Result<Replay, any Error> {
            let settings = try Events.settings.get()
            return try Replay(
                Events.catalog, settings: settings,
                executables: Executables(directory: try ExecutableDirectory.find()),
                tables: try tables(settings), clock: .system, random: .system)
        }
        replay = result
        return try result.get()
    }
}

internal import Bytes
package import Cryptography
internal import EmulatorBase
internal import EmulatorLambda
package import HTTP
internal import JSON
internal import Synchronization
package import Time

/// `emulator replay [FOLDER]`: replays every fixture against the executables.
package enum ReplayCommand {
    package struct Options: Sendable {
        /// The folder of events.
        package var events: String
        /// The directory of the executables; nil looks beside this program and in `.build/release`.
        package var executables: String?
        /// The functions of a template, which run instead of the executables.
        package var template: (any TemplateFunctions)?
        /// The functions of the template in the current folder, which run if there are no
        /// executables; nil without such a template.
        package var templateOfFolder:
            @Sendable () throws(FixtureFailure) -> (any TemplateFunctions)? = { () in nil }
        /// Replays only fixtures whose names contain this text; `*` matches any characters.
        package var only: String?
        /// The number of parallel fixtures; nil is twice the number of processors.
        package var jobs: Int?
        /// `dynamodb` for the emulator's own, or the URL of another DynamoDB or of a PostgreSQL;
        /// nil for the store in `settings.json`.
        package var store: String?
        /// The file for the permissions that functions used in the emulator's DynamoDB.
        package var permissions: String?
        /// The Markdown file with the costs of requests in the emulator's DynamoDB.
        package var costs: String?
        /// Refuses to run executables, to which no policy of a template applies.
        package var isStrict = false
        /// Makes the store calls of each request fail, instead of replaying it once.
        package var isWithFaults = false
        /// Finds the machine's file of trusted authorities, for PostgreSQL.
        package var authorities: @Sendable () -> String? = { nil }
        /// Records actual responses as the expected ones.
        package var updates: Bool

        package init(
            events: String = "Events", executables: String? = nil, only: String? = nil,
            jobs: Int? = nil, store: String? = nil, updates: Bool = false
        ) {
            self.events = events
            self.executables = executables
            self.only = only
            self.jobs = jobs
            self.store = store
            self.updates = updates
        }

        /// Whether `only` chooses a fixture, or a file that belongs to none.
        fileprivate func chooses(_ name: String) -> Bool {
            only.map { Wildcard.matches("*\($0)*", name) } ?? true
        }
    }

    /// Prints failures with their reasons, then `N passed, N failed`. Returns the exit status.
    package static func run(
        _ options: Options, to output: ToolOutput, transport: HTTPTransport, clock: WallClock,
        random: RandomSource
    ) -> Int32 {
        do throws(FixtureFailure) {
            return try replay(options, output, transport, clock, random)
        } catch {
            output.note("replay: \(error)")
            return ExitStatus.usage
        }
    }

    private static func replay(
        _ options: Options, _ output: ToolOutput, _ transport: HTTPTransport, _ clock: WallClock,
        _ random: RandomSource
    ) throws(FixtureFailure) -> Int32 {
        try check(options)
        let catalog = Fixture.Catalog(root: options.events)
        if let problem = catalog.problem { throw problem }
        let chosen = catalog.fixtures.filter { options.chooses($0.name) }
        guard !chosen.isEmpty else {
            throw FixtureFailure("no matching event in \(options.events)")
        }
        var options = options
        if options.template == nil, options.executables == nil,
            !Executables.areFound(for: chosen.map(\.function))
        {
            options.template = try options.templateOfFolder()
        }
        guard !options.isStrict || options.template != nil else {
            throw FixtureFailure("--strict needs --template FILE, whose policies it enforces")
        }
        let executables = try self.executables(options, for: chosen)
        let settings = try FixtureSettings(folder: options.events)
        let costs = try options.costs.map { file throws(FixtureFailure) in
            try CostMeasurement(file, catalog, chosen, settings)
        }
        let replay = try Replay(
            catalog, settings: settings, executables: executables, template: options.template,
            tables: try tables(options, settings, transport, clock, random), clock: clock,
            random: random)
        // This is not left to the thread that releases it last, because that thread may still run
        // when this returns.
        defer { replay.stop() }
        let jobs = options.jobs ?? WorkerThreads.processorCount * 2
        if options.isWithFaults {
            return findWrongAnswers(of: chosen, replay, jobs: jobs, to: output)
        }
        let report = ReplayReport(
            output, settings, total: chosen.count, updates: options.updates)
        WorkerThreads.run(chosen.count, threads: jobs) { index in
            let fixture = chosen[index]
            let outcome = costs?.outcome(of: fixture, replay) ?? replay.outcome(of: fixture)
            report.take(outcome, index: index)
        }
        for stray in catalog.strays where options.chooses(stray) {
            report.fail("\(options.events)/\(stray)", ["does not belong to an event"])
        }
        for leak in replay.leakDetector.leaks { report.fail("secrets", [leak]) }
        let status = report.close()
        if let file = options.permissions { try write(replay.calls, to: file) }
        if let line = try costs?.write() { output.print(line) }
        let settingsFile = "\(options.events)/\(FixtureSettings.fileName)"
        if status != ExitStatus.success, options.template == nil, !Files.exists(settingsFile) {
            output.note(
                "There is no \(settingsFile), so the functions have an empty environment. "
                    + "emulator serve --record and emulator record write one into a new folder.")
        }
        return status
    }

    private static func check(_ options: Options) throws(FixtureFailure) {
        guard Files.isDirectory(options.events) else {
            throw FixtureFailure("\(options.events) is not a directory of events")
        }
        guard options.jobs.map({ (1...1000).contains($0) }) ?? true else {
            throw FixtureFailure("--jobs must be from 1 to 1000")
        }
        for (flag, file) in [("--permissions", options.permissions), ("--costs", options.costs)]
        where file != nil && options.store != "dynamodb" {
            throw FixtureFailure("\(flag) needs --store dynamodb, which sees every call")
        }
        guard !options.isWithFaults || options.store == "dynamodb" && options.template == nil else {
            throw FixtureFailure(
                "--faults needs --store dynamodb, where it sees every call, and no --template")
        }
    }

    private static func write(_ calls: Set<UsedPermission>, to file: String) throws(FixtureFailure)
    {
        let lines = calls.map { "\($0)\n" }.sorted()
        try FixtureFiles.write(Array(lines.joined().utf8), to: file)
    }

    private static func tables(
        _ options: Options, _ settings: FixtureSettings, _ transport: HTTPTransport,
        _ clock: WallClock, _ random: RandomSource
    ) throws(FixtureFailure) -> (any ReplayTables)? {
        guard let store = options.store else { return nil }
        if store.isSame(as: "dynamodb") {
            return try DynamoDBReplayTables(clock: clock, random: random)
        }
        if PostgreSQLReplayTables.canOpen(store) {
            return try PostgreSQLReplayTables(
                at: store, authorities: options.authorities, clock: clock, random: random)
        }
        guard store.hasPrefix("http://") || store.hasPrefix("https://") else {
            throw FixtureFailure(
                "--store must be dynamodb, the URL of a DynamoDB or the URL of a PostgreSQL")
        }
        return DynamoDBReplayTables(
            at: store, settings: settings, transport: transport, clock: clock)
    }

    private static func executables(
        _ options: Options, for fixtures: [Fixture]
    ) throws(FixtureFailure) -> Executables {
        if let directory = options.executables {
            guard Files.isDirectory(directory) else {
                throw FixtureFailure("\(directory) is not a directory of executables")
            }
            return Executables(directory: Files.absolute(directory))
        }
        if options.template != nil { return Executables.usual[0] }
        return try Executables.found(for: fixtures.map(\.function))
    }
}

extension Executables {
    /// The first directory that has one of the functions: beside this program, or SwiftPM's release
    /// directory.
    static func found(for functions: [String]) throws(FixtureFailure) -> Executables {
        guard
            let found = usual.first(where: { executables in
                functions.contains { executables.path(of: $0) != nil }
            })
        else { throw notFound(functions) }
        return found
    }

    static func areFound(for functions: [String]) -> Bool {
        usual.contains { executables in
            functions.contains { executables.path(of: $0) != nil }
        }
    }

    static var usual: [Executables] {
        [besideThisProgram, ".build/release"].compactMap { $0 }
            .map { Executables(directory: Files.absolute($0)) }
    }

    /// - Parameter functions: the names of the fixtures' folders.
    static func notFound(_ functions: [String]) -> FixtureFailure {
        let known = usual.flatMap(\.functions)
        let names = Set(functions).sorted()
        let listed = names.prefix(namesMax).joined(separator: ", ")
        let more = names.count > namesMax ? " and \(names.count - namesMax) more" : ""
        let near = names.count == 1 ? NearestName.find(names[0], among: known) : nil
        return FixtureFailure(
            "executables not found: \(listed)\(more)\(near.map { "; did you mean \($0)?" } ?? ".") "
                + "A fixture's folder has the name of an executable: build it, or give its "
                + "directory with --executables DIR, or a template with --template FILE")
    }

    private static let namesMax = 5
}

/// Collects outcomes and reports them in the order of the fixtures.
private final class ReplayReport: Sendable {
    private struct State {
        var passed = 0
        var failed = 0
        var updated = 0
        var skipped = 0
        var waiting: [Int: ReplayOutcome] = [:]
        var next = 0
    }

    private let output: ToolOutput
    private let settings: FixtureSettings
    private let total: Int
    private let updates: Bool
    private let started = MonotonicClock.nanoseconds
    private let state = Mutex(State())

    private static let quietNanoseconds: UInt64 = 1_000_000_000

    init(_ output: ToolOutput, _ settings: FixtureSettings, total: Int, updates: Bool) {
        self.output = output
        self.settings = settings
        self.total = total
        self.updates = updates
    }

    func take(_ outcome: ReplayOutcome, index: Int) {
        state.withLock { state in
            state.waiting[index] = outcome
            while let outcome = state.waiting.removeValue(forKey: state.next) {
                state.next += 1
                tell(outcome, &state)
            }
            showProgress(state)
        }
    }

    func fail(_ name: String, _ problems: [String]) {
        state.withLock { state in
            state.failed += 1
            show(name, problems)
        }
    }

    func close() -> Int32 {
        state.withLock { state in
            output.progress?("")
            if state.updated > 0 {
                output.print("\(state.updated) updated; review and commit the changes")
            }
            let skipped = state.skipped == 0 ? "" : ", \(state.skipped) not of this deployment"
            output.print("\(state.passed) passed, \(state.failed) failed\(skipped)")
            return state.failed == 0 ? ExitStatus.success : ExitStatus.failure
        }
    }

    private func tell(_ outcome: ReplayOutcome, _ state: inout State) {
        if outcome.isSkipped {
            state.skipped += 1
            return
        }
        if outcome.problems.isEmpty {
            state.passed += 1
            return
        }
        guard let update = outcome.update, updates || outcome.isNew else {
            state.failed += 1
            return show(outcome.fixture.name, outcome.problems, outcome.difference)
        }
        guard !outcome.hasFailedChecks else {
            state.failed += 1
            return show(
                outcome.fixture.name,
                outcome.problems + ["the answer is not recorded, because its checks fail"],
                outcome.difference)
        }
        do throws(FixtureFailure) {
            try outcome.fixture.record(update, settings)
        } catch {
            state.failed += 1
            return show(outcome.fixture.name, outcome.problems + [error.description])
        }
        guard updates else {
            state.failed += 1
            return show(
                outcome.fixture.name,
                ["had no expected response; recorded the actual one: review it"])
        }
        state.updated += 1
        if let (before, now) = outcome.statusChange {
            show(outcome.fixture.name, ["recorded with status \(now), which was \(before)"])
        }
        // The recorded response resolves only the problems of the response. With other problems the
        // fixture has failed.
        let rest = outcome.problems.count - outcome.responseProblems
        if rest > 0 {
            state.failed += 1
            show(outcome.fixture.name, Array(outcome.problems.suffix(rest)))
        } else {
            state.passed += 1
        }
    }

    private func show(
        _ name: String, _ problems: [String], _ difference: (expected: JSON, found: JSON)? = nil
    ) {
        output.progress?("")
        output.print(name)
        for problem in problems { output.print("    \(problem)") }
        guard let difference else { return }
        output.print("  --- expected")
        output.print("  +++ found")
        for line in LineDiff.lines(difference.expected.pretty, difference.found.pretty) {
            output.print("  \(line)")
        }
    }

    private func showProgress(_ state: State) {
        guard let progress = output.progress,
            MonotonicClock.nanoseconds - started > Self.quietNanoseconds
        else { return }
        let failed = state.failed == 0 ? "" : ", \(state.failed) failed"
        progress("replayed \(state.next) of \(total)\(failed)")
    }
}

internal import Bytes
internal import EmulatorBase
internal import JSON
internal import Synchronization

/// `emulator replay --costs FILE`: measures the fixtures in the file's table, and one fixture for
/// each route that has none there.
final class CostMeasurement: Sendable {
    /// If a function is interrupted for longer than this between two simultaneous calls, they look
    /// consecutive. So an unexpected cost is measured again.
    private static let windowsMilliseconds = [20, 80, 320]

    private let file: String
    private let names: Set<String>
    private let table: Mutex<CostTable>

    init(
        _ file: String, _ catalog: Fixture.Catalog, _ chosen: [Fixture],
        _ settings: FixtureSettings
    ) throws(FixtureFailure) {
        self.file = file
        let text = FixtureFiles.read(file).map { String(decoding: $0, as: UTF8.self) } ?? ""
        let table = try CostTable(text, at: file)
        for name in table.fixtures where catalog.fixture(name) == nil {
            throw FixtureFailure("\(file) has a row of \(name), which is not a fixture")
        }
        let others = try Self.otherRoutes(of: catalog, besides: Set(table.fixtures), settings)
        names = Set(table.fixtures + others).intersection(chosen.map(\.name))
        self.table = Mutex(table)
    }

    /// nil if the fixture is not measured.
    func outcome(of fixture: Fixture, _ replay: Replay) -> ReplayOutcome? {
        guard names.contains(fixture.name) else { return nil }
        let known = table.withLock { $0.costs(of: fixture.name) }
        var outcome = ReplayOutcome(fixture)
        for window in Self.windowsMilliseconds {
            outcome = replay.outcome(of: fixture, measuringWithin: window)
            if !outcome.problems.isEmpty || outcome.cost?.cells == known { break }
        }
        if let cost = outcome.cost {
            table.withLock { $0.set(cost, of: fixture.name) }
        } else if outcome.problems.isEmpty {
            outcome.problems.append("is not measured, because it has a store of its own")
        }
        return outcome
    }

    /// Returns a summary.
    func write() throws(FixtureFailure) -> String {
        let (text, changes) = table.withLock { ($0.text, $0.changes) }
        if changes > 0 { try FixtureFiles.write(Array(text.utf8), to: file) }
        return "\(file): \(changes) of \(names.count) rows changed"
    }

    /// A fixture for each route without a row: from the route's successful fixtures in the default
    /// contract, the one with the fewest settings, unless its answer is a page. A function without
    /// routes counts as one route.
    private static func otherRoutes(
        of catalog: Fixture.Catalog, besides listed: Set<String>, _ settings: FixtureSettings
    ) throws(FixtureFailure) -> [String] {
        var routes: [String: (fixture: String?, weight: Int)] = [:]
        for fixture in catalog.fixtures where try fixture.canBeListed(settings) {
            let given = try fixture.given
            let weight =
                listed.contains(fixture.name)
                ? 0
                : 1 + 100 * (given?["environment"]?.objectValue?.count ?? 0)
                    + (given?["steps"]?.arrayValue?.count ?? 0)
            let route = fixture.route ?? fixture.function
            if weight < routes[route]?.weight ?? .max {
                routes[route] = (weight == 0 ? nil : fixture.name, weight)
            }
        }
        for (function, path) in routes.keys.map({ $0.halves(at: " ") }) where path != nil {
            routes[function] = nil
        }
        return routes.values.compactMap(\.fixture)
    }
}

extension Fixture {
    fileprivate func canBeListed(_ settings: FixtureSettings) throws(FixtureFailure) -> Bool {
        guard !isOfTable, try contract(settings).isSame(as: settings.contract),
            let answer = try response(settings),
            (200..<300).contains(FunctionAnswer.status(of: answer)),
            answer["body"]?.stringValue?.isEmpty ?? true,
            !(route ?? "").has(prefix: "\(function) OPTIONS ")
        else { return false }
        return try given.map { json throws(FixtureFailure) in
            try FixtureSetup(json).isReplayedInTables
        } ?? true
    }

    /// The function with the method and path; nil if the event is not in the short form.
    fileprivate var route: String? {
        guard let event = event.flatMap({ try? JSON.parse($0, limits: .event) }),
            let request = event["request"]?.stringValue
        else { return nil }
        let words = request.halves(at: "?").first.pieces(at: "/")
            .map { $0.has(prefix: "<") ? "x" : $0 }
        return "\(function) \(words.joined(separator: "/"))"
    }
}

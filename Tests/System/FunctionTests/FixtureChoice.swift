import EmulatorReplay
import JSON

/// A choice of fixtures for further stores: in `latchkey` and `news_app`, which together have every
/// operation, one fixture for each answer to each request that depends on what is stored.
enum FixtureChoice {
    static let forOtherStores: [Fixture] = {
        var seen: Set<String> = []
        return Events.catalog.fixtures.filter { fixture in
            guard let answer = answer(of: fixture) else { return false }
            return seen.insert(answer).inserted
        }
    }()

    /// Statuses of requests that are refused before anything is read, and of limits, whose fixtures
    /// send many requests.
    private static let skippedStatuses: Set<Int64> = [405, 413, 415, 429, 431, 502, 503]

    private static func answer(of fixture: Fixture) -> String? {
        let given = try? fixture.given
        guard !fixture.isOfTable, given?["environment"]?["STORE"] == nil,
            given?["anyStore"] != false,
            ["latchkey", "news_app", nil].contains(given?["contract"]?.stringValue),
            let event = json(fixture.event), let response = Events.response(fixture)
        else { return nil }
        let request = event["request"]?.stringValue?.prefix { $0 != "?" } ?? "event"
        let status = response["statusCode"]?.int64Value ?? 0
        guard !skippedStatuses.contains(status) else { return nil }
        let code = response["body"]?["error"]?["code"]?.stringValue ?? ""
        return "\(fixture.function) \(request) \(status) \(code)"
    }

    private static func json(_ bytes: [UInt8]?) -> JSON? {
        bytes.flatMap { try? JSON.parse($0, limits: .event) }
    }
}

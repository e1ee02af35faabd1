import Foundation

/// Each contract's lifetimes, limits and forms as a file, so that changes of values, including
/// defaults, are visible in review. `LATCHKEY_UPDATE_GOLDEN=1` updates the files.
@Suite("Policies") struct PolicyGoldenTests {
    private static let golden = RepositoryRoot.url.appending(
        path: "Tests/Auth/ContractsTests/Golden/policies")

    private static let contracts = Contract.names.filter {
        FileManager.default.fileExists(atPath: golden.appending(path: "\($0).txt").path)
    }

    @Test func `each contract of this repository has a golden file`() {
        #expect(Self.contracts.count >= 6)
    }

    @Test(arguments: contracts)
    func `the policy of a contract matches its golden file`(name: String) throws {
        let file = Self.golden.appending(path: "\(name).txt")
        let policy = try #require(Contract.named(name)).policy
        let lines = Self.lines(policy, "policy").joined(separator: "\n") + "\n"
        if ProcessInfo.processInfo.environment["LATCHKEY_UPDATE_GOLDEN"] == "1" {
            try Data(lines.utf8).write(to: file)
        }
        let expected = String(decoding: try Data(contentsOf: file), as: UTF8.self)
        expectEqual(lines, expected, "LATCHKEY_UPDATE_GOLDEN=1 writes Golden/policies/\(name).txt")
    }

    /// A line for each value: `policy.sessions.idleLifetime: 30 days`.
    private static func lines(_ value: Any, _ path: String) -> [String] {
        switch value {
        case let limit as RateLimit:
            return ["\(path): \(limit.name) \(limit.requestsMax) in \(text(limit.window))"]
        case let span as Span:
            return ["\(path): \(text(span))"]
        default:
            break
        }
        let mirror = Mirror(reflecting: value)
        if mirror.displayStyle == .optional {
            return mirror.children.first.map { lines($0.value, path) } ?? ["\(path): none"]
        }
        if mirror.displayStyle == .dictionary || mirror.displayStyle == .set {
            return mirror.children.map { "\(path): \($0.value)" }.sorted()
        }
        guard !mirror.children.isEmpty else { return ["\(path): \(value)"] }
        return mirror.children.flatMap { child in
            lines(child.value, child.label.map { "\(path).\($0)" } ?? path)
        }
    }

    private static func text(_ span: Span) -> String {
        let units: [(name: String, milliseconds: Int64)] = [
            ("days", 86_400_000), ("hours", 3_600_000), ("minutes", 60_000), ("seconds", 1_000),
        ]
        let unit = units.first { span.milliseconds % $0.milliseconds == 0 }
        return unit.map { "\(span.milliseconds / $0.milliseconds) \($0.name)" }
            ?? "\(span.milliseconds) milliseconds"
    }
}

import AuthTestSupport
import Foundation
import TestSupport
import Testing

/// Compares `docs/store-costs.md` with the measured costs.
@Suite("Store costs") struct StoreCostTests {
    private static let table = RepositoryRoot.url.appending(path: "docs/store-costs.md")
    private static let head = [
        "| Operation | Case | Trips | Read units | Write units |",
        "|---|---|---:|---:|---:|",
    ]

    private let rows: [MeasuredCost]

    init() throws { rows = try MeasuredCost.all() }

    private static func line(_ row: MeasuredCost) -> String {
        let cost = row.cost
        return "| `\(row.operation)` | \(row.situation) | \(cost.roundTrips) "
            + "| \(cost.readUnits) | \(cost.writeUnits) |"
    }

    @Test func `the table matches the measured costs`() throws {
        let rendered = Self.head + rows.map(Self.line)
        let document = String(decoding: try Data(contentsOf: Self.table), as: UTF8.self)
        let text = document.split(separator: "\n", omittingEmptySubsequences: false)
        let (table, rest) = (text.filter { $0.hasPrefix("|") }, text.filter { !$0.hasPrefix("|") })
        if ProcessInfo.processInfo.environment["LATCHKEY_UPDATE_GOLDEN"] == "1" {
            let prose = rest.joined(separator: "\n").trimmingCharacters(in: .newlines)
            let updated = "\(prose)\n\n\(rendered.joined(separator: "\n"))\n"
            try Data(updated.utf8).write(to: Self.table)
            return
        }
        for (index, line) in rendered.enumerated() {
            let documented = index < table.count ? String(table[index]) : "nothing"
            guard line == documented else {
                Issue.record(
                    """
                    docs/store-costs.md, which LATCHKEY_UPDATE_GOLDEN=1 writes:
                    - \(documented)
                    + \(line)
                    """)
                return
            }
        }
        expectEqual(table.count, rendered.count)
    }

    /// The limit also applies if the table is regenerated.
    @Test func `no operation exceeds its maximum of round trips`() {
        for row in rows {
            #expect(
                row.cost.roundTrips <= row.tripsMax,
                "\(row.operation), \(row.situation): \(row.cost)")
        }
    }

    @Test func `every operation is in the table`() throws {
        let names = Set(rows.map(\.operation))
        let folder = RepositoryRoot.url.appending(path: "Sources/Auth/Operations")
        let files = try #require(
            FileManager.default.enumerator(at: folder, includingPropertiesForKeys: nil))
        var declared: Set<String> = []
        for case let file as URL in files where file.pathExtension == "swift" {
            let text = String(decoding: try Data(contentsOf: file), as: UTF8.self)
            for match in text.matches(of: /AuthOperation\(\s*"(\w+)"/) {
                declared.insert(String(match.1))
            }
        }
        #expect(declared.count >= 10)
        for name in declared.sorted() {
            let isMeasured = names.contains(name)
            #expect(
                isMeasured,
                "measure \(name) in Tests/Auth/AuthTests/Costs, then update docs/store-costs.md")
        }
    }
}

import Contracts
import Foundation
import Testing

/// The tables of `Tests/Seeds` list, for each statement of a seed, the fixtures and tests that
/// verify it.
@Suite("Statements of the seeds") struct SeedTableTests {
    /// The statements that each table must have. When you add one to a table, add it here.
    static let expected: [String: [String]] = [
        "livlogios": ids("LV", [1...28, 30...46, 50...75, 80...91]),
        "news_app": ids("NA", [1...13, 20...27, 30...34, 40...43, 50...56, 60...74]),
        "shell": ids("SH", [1...6, 10...13, 20...31, 40...45, 50...61, 70...80]),
        "whateat": ids("WE", [1...5, 10...38]),
        "photolala": ids("PH", [1...8, 10...33]),
    ]

    private static func ids(_ prefix: String, _ ranges: [ClosedRange<Int>]) -> [String] {
        ranges.flatMap { $0.map { "\(prefix)\($0)" } }
    }

    @Test(arguments: expected.keys.sorted())
    func `every statement has a row, once`(contract: String) throws {
        let ids = try SeedTable(of: contract).rows.flatMap(\.ids)
        #expect(ids.count == Set(ids).count)
        #expect(Set(ids) == Set(try #require(Self.expected[contract])))
    }

    @Test(arguments: expected.keys.sorted())
    func `every row names a fixture or a test, and all of them exist`(contract: String) throws {
        let known = try SeedTable.knownTests()
        for row in try SeedTable(of: contract).rows {
            let what = row.ids.joined(separator: ", ")
            #expect(!row.evidence.isEmpty, "\(what) has neither a fixture nor a test")
            for name in row.evidence {
                let isKnown = SeedTable.isFixture(name) || known.contains(name)
                #expect(isKnown, "\(what): there is no fixture and no test `\(name)`")
            }
        }
    }

    @Test(arguments: expected.keys.sorted())
    func `every fixture named after a statement is in its row`(contract: String) throws {
        let rows = try SeedTable(of: contract).rows
        for name in try SeedTable.fixtures(of: contract) {
            guard let match = name.firstMatch(of: /-([a-z]{2}\d+)-/) else { continue }
            let id = String(match.1).uppercased()
            guard let row = rows.first(where: { $0.ids.contains(id) }) else { continue }
            #expect(row.evidence.contains(name), "\(id): \(name)")
        }
    }

    @Test(arguments: expected.keys.sorted())
    func `each contradiction of a seed has a decision`(contract: String) throws {
        let text = try Repository.text("Tests/Seeds/\(contract).md")
        #expect(text.contains("\n## Decisions\n"))
        #expect(text.contains("\n## Weaker than the standard\n"))
        #expect(Contract.named(contract) != nil)
    }

    @Test func `the tables are parsed correctly`() {
        let rows = SeedTable.rows(
            """
            | statement | what it says | where | fixture or test |
            |---|---|---|---|
            | LV1, LV2 | `x` | `y` | `signin/a`, `some test, with a comma` |
            | LV3 | nothing | | |
            """)
        #expect(rows.map(\.ids) == [["LV1", "LV2"], ["LV3"]])
        #expect(rows.map(\.evidence) == [["signin/a", "some test, with a comma"], []])
    }
}

/// The table under "Statements" in a document of `Tests/Seeds`.
struct SeedTable {
    struct Row {
        let ids: [String]
        let evidence: [String]
        /// `POST /auth/signin`
        let routes: [String]
    }

    let rows: [Row]

    init(of contract: String) throws {
        let text = try Repository.text("Tests/Seeds/\(contract).md")
        let start = try #require(text.firstRange(of: "\n## Statements\n")?.upperBound)
        let rest = text[start...]
        let end = rest.firstRange(of: "\n## ")?.lowerBound ?? rest.endIndex
        rows = Self.rows(String(rest[..<end]))
        try #require(!rows.isEmpty)
    }

    static func rows(_ text: String) -> [Row] {
        text.split(separator: "\n").compactMap { line in
            let cells = line.split(separator: "|", omittingEmptySubsequences: false)
            guard cells.count == 6, cells[1].firstMatch(of: /^ [A-Z]{2}\d/) != nil else {
                return nil
            }
            return Row(
                ids: cells[1].matches(of: /[A-Z]{2}\d+/).map { String($0.0) },
                evidence: cells[4].matches(of: /`([^`]+)`/).map { String($0.1) },
                routes: cells[2...3].flatMap { cell in
                    cell.matches(of: /`((?:GET|POST|PUT|PATCH|DELETE) \/[^`\s]*)`/)
                        .map { String($0.1) }
                })
        }
    }

    static func isFixture(_ name: String) -> Bool {
        FileManager.default.fileExists(
            atPath: Repository.root.appending(path: "Events/\(name).json").path)
    }

    /// `signin/livlogios-…`
    static func fixtures(of contract: String) throws -> [String] {
        try FileManager.default.subpathsOfDirectory(
            atPath: Repository.root.appending(path: "Events").path
        ).filter { $0.contains("/\(contract.replacing("_", with: "-"))-") }
            .filter { $0.hasSuffix(".json") && !$0.hasSuffix(".response.json") }
            .filter { !$0.hasSuffix(".given.json") }
            .map { String($0.dropLast(".json".count)) }.sorted()
    }

    /// The names of all tests: `@Test func` and the text between its backticks.
    static func knownTests() throws -> Set<String> {
        var names: Set<String> = []
        for file in try Repository.swiftFiles("Tests") {
            for match in try Repository.text(file).matches(of: /func `([^`]+)`/) {
                names.insert(String(match.1))
            }
        }
        return names
    }
}

import Foundation
import TestSupport

/// Every row of `Tests/Standards.md` names tests or fixtures that exist, or a reason.
@Suite("Standards table") struct StandardsTableTests {
    private static let reasons = ["Not met: ", "Not yet: ", "Not applicable: "]

    private struct Row {
        let requirement: String
        let proof: String

        private var quoted: [String] {
            proof.split(separator: "`", omittingEmptySubsequences: false).enumerated()
                .filter { $0.offset % 2 == 1 }.map { String($0.element) }
        }

        /// The sentences between backticks. Other words in backticks are names of settings and
        /// operations.
        var tests: [String] { quoted.filter { $0.contains(" ") } }

        /// `signin/apple-new-user`
        var fixtures: [String] {
            quoted.filter { $0.wholeMatch(of: /[a-z-]+\/[a-z0-9-]+/) != nil }
        }
    }

    private static func rows() throws -> [Row] {
        try Repository.text("Tests/Standards.md").split(separator: "\n").compactMap { line in
            let cells = line.split(separator: "|").map {
                $0.trimmingCharacters(in: .whitespaces)
            }
            guard line.hasPrefix("|"), cells.count == 3, cells[2] != "test or reason",
                cells[2] != "---"
            else { return nil }
            return Row(requirement: "\(cells[0]) \(cells[1])", proof: cells[2])
        }
    }

    /// The names of all tests of the repository, and of the checks of `Tests/Provider`.
    private static func testNames() throws -> Set<String> {
        let folder = RepositoryRoot.url.appending(path: "Tests")
        let files = FileManager.default.enumerator(at: folder, includingPropertiesForKeys: nil)
        var names: Set<String> = []
        while let file = files?.nextObject() as? URL {
            let isCheck = file.pathExtension == "py" && file.path.contains("/Tests/Provider/")
            guard isCheck || file.pathExtension == "swift" else { continue }
            for line in try String(contentsOf: file, encoding: .utf8).split(separator: "\n") {
                let parts = line.split(separator: "`", omittingEmptySubsequences: false)
                if parts.count > 2, parts[0].hasSuffix("func ") { names.insert(String(parts[1])) }
                if isCheck, line.hasPrefix("def "),
                    let name = line.dropFirst(4).split(separator: "(").first
                {
                    names.insert(String(name).replacing("_", with: " "))
                }
            }
        }
        return names
    }

    @Test func `every row has existing tests or fixtures, or a reason`() throws {
        let names = try Self.testNames()
        let rows = try Self.rows()
        #expect(rows.count > 80)
        for row in rows {
            for test in row.tests {
                #expect(names.contains(test), "\(row.requirement): no test '\(test)'")
            }
            for name in row.fixtures {
                #expect(SeedTable.isFixture(name), "\(row.requirement): no fixture '\(name)'")
            }
            if row.tests.isEmpty && row.fixtures.isEmpty {
                let hasReason = Self.reasons.contains {
                    row.proof.hasPrefix($0) && row.proof.count > $0.count + 20
                }
                #expect(hasReason, "\(row.requirement): neither a test nor a reason")
            }
        }
    }

    @Test func `every line of a table is a row`() throws {
        let lines = try Repository.text("Tests/Standards.md").split(separator: "\n")
        let tables = lines.count { $0.hasSuffix("| test or reason |") }
        let lineCount = lines.count { $0.hasPrefix("|") }
        try expectEqual(Self.rows().count, lineCount - 2 * tables)
    }
}

import EmulatorReplay
import Foundation
import TestSupport
import Testing

/// The same fixtures on the other stores, with the release executables, by `emulator replay`.
@Suite("Replay on other stores", .enabled(if: BuiltExecutables.directory != nil), .hangLimit)
struct OtherStoreReplayTests {
    /// Measures the actions of each function and compares them with
    /// `Parts/permissions/<contract>.txt`, which the template must match (TemplatePermissionTests).
    /// Measures the rows of docs/store-costs.md, in a copy.
    @Test func `all pass on the emulator's DynamoDB, with the known permissions and costs`()
        async throws
    {
        let folder = try TemporaryFolder()
        let costs = try String(
            contentsOf: RepositoryRoot.url.appending(path: "docs/store-costs.md"), encoding: .utf8)
        try folder.replace("costs.md", with: Array(costs.utf8))
        try await replay(
            "--store", "dynamodb", "--permissions", folder.file("used"), "--costs",
            folder.file("costs.md"))
        let measured = String(decoding: try folder.read("costs.md"), as: UTF8.self)
        let changed = Set(measured.split(separator: "\n")).subtracting(costs.split(separator: "\n"))
        #expect(
            changed.isEmpty,
            """
            \(changed.sorted().joined(separator: "\n"))
            Update the table: emulator replay --store dynamodb --costs docs/store-costs.md
            """)
        let used = String(decoding: try folder.read("used"), as: UTF8.self)
            .split(separator: "\n").map(String.init)
        #expect(used.count > 500)
        expectEqual(Set(used).subtracting(try Self.allowed()).sorted(), [])
    }

    @Test(arguments: FixtureChoice.forOtherStores)
    func `an event gets its recorded response on PostgreSQL`(_ fixture: Fixture) async {
        await EventReplay.postgreSQL.expectNoProblem(of: fixture)
    }

    @Test(arguments: FixtureChoice.forOtherStores)
    func `an event gets its recorded response on moto`(_ fixture: Fixture) async {
        await EventReplay.moto.expectNoProblem(of: fixture)
    }

    private func replay(_ arguments: String...) async throws {
        let command = Command(
            BuiltExecutables.path(of: "emulator"),
            ["replay", Events.root, "--executables", try ExecutableDirectory.find(), "--jobs", "2"]
                + arguments)
        let result = try await ConcurrencyLimit.shared.run { try ChildProcess.run(command) }
        expectEqual(result.end, .exit(0), "\(result.text)\(result.errorText)")
        #expect(result.text.hasPrefix("\(Events.catalog.fixtures.count) passed, 0 failed\n"))
    }

    /// Lines in the format of `--permissions`.
    private static func allowed() throws -> Set<String> {
        let folder = RepositoryRoot.url.appending(path: "Functions/Templates/Parts/permissions")
        var lines: Set<String> = []
        for file in try FileManager.default.contentsOfDirectory(atPath: folder.path) {
            let contract = file.prefix { $0 != "." }
            var function = ""
            let text = try String(contentsOf: folder.appending(path: file), encoding: .utf8)
            for line in text.split(separator: "\n") {
                let words = line.split(separator: " ").map(String.init)
                guard line.hasPrefix(" ") else {
                    function = words[0]
                    continue
                }
                for partition in words.dropFirst() where words[0] != "secrets" {
                    lines.insert("\(contract) \(function) \(words[0]) \(partition)")
                }
            }
        }
        return lines
    }
}

import EmulatorReplay
import Foundation
import TestSupport

/// The same fixtures on the other stores, with the release executables, by `emulator replay`.
@Suite("Replay on other stores", .enabled(if: BuiltExecutables.directory != nil), .hangLimit)
struct OtherStoreReplayTests {
    /// Measures the actions of each function and compares them with `PermissionReview`, which the
    /// template must match (TemplatePermissionTests).
    /// Measures the rows of docs/store-costs.md, in a copy.
    @Test func `all fixtures pass on the emulator's DynamoDB, with known costs`()
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
        let review = try PermissionReview()
        expectEqual(Set(used).subtracting(review.allowed).sorted(), [])
        let unused = review.allowed.subtracting(used)
        expectEqual(
            unused.subtracting(review.listed).subtracting(review.implied).sorted(), [],
            "remove what no code needs, or add the reason to permissions-without-fixture.txt")
        expectEqual(
            review.listed.subtracting(unused).sorted(), [],
            "permissions-without-fixture.txt names what a fixture uses, or no function has")
    }

    @Test func `every permission that is implied by another was reviewed`() throws {
        let review = try PermissionReview()
        expectEqual(review.implied.subtracting(review.allowed).sorted(), [])
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
}

import Contracts
import Foundation
import TestSupport
import generate_templates

@Suite("Generated templates") struct GeneratedTemplateTests {
    private static let root = Repository.root.path(percentEncoded: false)
    /// Compiled into the tests, from the folder from which it is to be copied.
    private static let example = "journal"

    @Test func `the templates in the repository equal the output of make templates`() throws {
        let contracts = Contract.all.filter { $0.name != Self.example }
        #expect(contracts.count >= 6)
        let files = GeneratedFiles(root: Self.root, contracts: contracts)
        try expectEqual(files.update(writes: false), [])
    }

    @Test func `the example's template is up to date; LATCHKEY_UPDATE_GOLDEN=1 writes it`() throws {
        let isUpdating = ProcessInfo.processInfo.environment["LATCHKEY_UPDATE_GOLDEN"] == "1"
        let files = GeneratedFiles(
            root: Self.root, contracts: [try #require(Contract.named(Self.example))],
            folder: "docs/contract-example")
        if isUpdating { _ = try files.update(writes: true) }
        try expectEqual(files.update(writes: false), [])
    }
}

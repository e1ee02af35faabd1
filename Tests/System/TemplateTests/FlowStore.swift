import Foundation
import TestSupport

/// The store of the functions in a flow.
enum FlowStore: String, CaseIterable, Sendable {
    /// The emulator's, as in the templates.
    case dynamoDB = "DynamoDB"
    case sqlite = "SQLite"
    case postgreSQL = "PostgreSQL"

    @TaskLocal static var current = FlowStore.dynamoDB

    /// For `emulator serve`.
    func arguments(_ folder: TemporaryFolder) throws -> [String] {
        switch self {
        case .dynamoDB: []
        case .sqlite: ["--store", "sqlite:\(folder.file("latchkey.db"))"]
        case .postgreSQL: ["--store", try PostgreSQLServer.shared().newURL()]
        }
    }
}

/// Performs each test once for each store: in `make test`, with the release executables. Otherwise
/// only on the emulator's DynamoDB, or on the store in `LATCHKEY_FLOW_STORE`.
struct OnEveryStore: SuiteTrait, TestTrait, TestScoping {
    let isRecursive = true

    func provideScope(
        for test: Test, testCase: Test.Case?,
        performing function: @Sendable () async throws -> Void
    ) async throws {
        guard testCase != nil else { return try await function() }
        for store in Self.stores {
            let naming = IssueHandlingTrait.compactMapIssues { issue in
                var issue = issue
                issue.comments.append("on \(store.rawValue)")
                return issue
            }
            try await FlowStore.$current.withValue(store) {
                try await naming.provideScope(for: test, testCase: testCase, performing: function)
            }
        }
    }

    private static let stores: [FlowStore] = {
        if let named = ProcessInfo.processInfo.environment["LATCHKEY_FLOW_STORE"] {
            return FlowStore.allCases.filter { $0.rawValue == named }
        }
        return BuiltExecutables.directory == nil ? [.dynamoDB] : FlowStore.allCases
    }()
}

extension Trait where Self == OnEveryStore {
    static var onEveryStore: Self { OnEveryStore() }
}

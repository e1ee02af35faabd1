import Foundation
import Simulations
import TestSupport

/// `scripts/judge-history` knows nothing of the simulation: see docs/simulation.md.
@Suite("Histories of sessions") struct HistoryTests {
    private static func judge(_ lines: [String]) throws -> ProcessResult {
        let folder = try TemporaryFolder()
        let path = folder.file("history.jsonl")
        try folder.write(Array(lines.map { $0 + "\n" }.joined().utf8), to: "history.jsonl")
        let script = RepositoryRoot.url.appending(path: "scripts/judge-history").path
        return try ChildProcess.run(Command("/usr/bin/env", ["python3", script, path]))
    }

    @Test func `the history of every account is linearizable`() throws {
        let lines = try (UInt64(201)...208).flatMap { seed in
            try Runner().run(seed: seed, keepsHistory: true).history
        }
        let result = try Self.judge(lines)
        #expect(
            result.end == .exit(0) && result.text.contains("are linearizable"), "\(result.text)")
        #expect(lines.count > 300)
        for kind in ["begin", "refresh", "use", "end", "endAll", "renew", "close", "disable"] {
            #expect(lines.contains { $0.contains("\"kind\":\"\(kind)\"") }, "no \(kind)")
        }
    }

    @Test(arguments: [
        "sign-out-does-nothing", "no-rotation", "administrator-does-nothing",
    ])
    func `the judge finds a planted bug`(name: String) throws {
        let mutation = try #require(Mutation.named(name))
        let runner = Runner(mutation: mutation)
        let found = try #require(
            try (UInt64(1)...20).lazy.map { try runner.run(seed: $0, keepsHistory: true) }
                .first { $0.violation != nil })
        let result = try Self.judge(found.history)
        #expect(
            result.end == .exit(1) && result.text.contains("no order explains the history"),
            "\(result.text)")
    }

    /// Histories that the model must refuse, and admit.
    @Test(arguments: [
        // Two successors of one token.
        ([begin, refresh("a", "b", 3, 4), refresh("a", "c", 5, 6)], false),
        // The same successor twice: the grace period.
        ([begin, refresh("a", "b", 3, 4), refresh("a", "b", 5, 6)], true),
        // After the end, and at the same time as the end.
        ([begin, end(3, 4), refresh("a", "b", 5, 6)], false),
        ([begin, end(3, 6), refresh("a", "b", 4, 5)], true),
        // Without an answer it may have happened, or not.
        ([begin, end(3, nil), refresh("a", "b", 5, 6)], true),
        ([begin, refresh("a", nil, 3, nil), refresh("a", "b", 5, 6)], true),
    ])
    func `the judge accepts exactly the correct histories`(lines: [String], isFine: Bool) throws {
        try expectEqual(Self.judge(lines).end, .exit(isFine ? 0 : 1))
    }

    private static func line(_ members: String, _ call: Int, _ end: Int?) -> String {
        let answer = end.map { ",\"return\":\($0)" } ?? ""
        return "{\"seed\":1,\"account\":\"x\",\"call\":\(call)\(answer),\(members)}"
    }

    private static let begin = line(#""kind":"begin","target":"s","next":"a""#, 1, 2)

    private static func refresh(
        _ token: String, _ next: String?, _ call: Int, _ end: Int?
    ) -> String {
        let answer = next.map { ",\"next\":\"\($0)\"" } ?? ""
        return line(#""kind":"refresh","session":"s","token":"\#(token)"\#(answer)"#, call, end)
    }

    private static func end(_ call: Int, _ end: Int?) -> String {
        line(#""kind":"end","target":"s""#, call, end)
    }
}

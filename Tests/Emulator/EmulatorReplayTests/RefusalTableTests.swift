import EmulatorReplay
import TestSupport

/// `<contract>.refusals.json`: fixtures of every route without a file.
@Suite("RefusalTable") struct RefusalTableTests {
    /// Refuses a body that is not JSON, and else answers with the request's bearer.
    private static let program = """
        #!/usr/bin/python3
        import json, sys
        event = json.load(sys.stdin)
        body, bearer = event.get("body", "{}"), event["headers"].get("authorization")
        status = 400 if "{" not in body else 401 if not bearer else 200
        print(json.dumps({"statusCode": status, "body": json.dumps({"bearer": bearer})}))
        """

    private func bench(_ table: String) throws -> FixtureWorkspace {
        let bench = try FixtureWorkspace()
        try bench.install("f", Self.program)
        try bench.write(#"{"contract": "mine"}"#, to: "Events/settings.json")
        try bench.write(table, to: "Events/mine.refusals.json")
        try bench.write(
            """
            {"given": {"values": {"token": "t", "id": "seven"}}, "request": "PUT /x/<id>?a=b",
            "bearer": "<token>", "body": {}, "answer": {"status": 200, "body": {"bearer": "Bearer \
            t"}}}
            """, to: "Events/f/done.json")
        return bench
    }

    private static let notJSON =
        #"""
        "not-json": {"with": "body", "body": "x",
        "answer": {"status": 400, "body": {"bearer": "Bearer t"}}}
        """#
    private static let noToken =
        #"""
        "no-token": {"with": "bearer", "bearer": null,
        "answer": {"status": 401, "body": {"bearer": null}}}
        """#

    @Test func `each case is a fixture of each route that it applies to`() throws {
        let bench = try bench("{\(Self.notJSON), \(Self.noToken)}")
        expectEqual(bench.replay(), 0, "\(bench.text)")
        expectEqual(bench.last, "3 passed, 0 failed")
        expectEqual(bench.replay(only: "f/no-token-put-x-x"), 0)
        expectEqual(bench.last, "1 passed, 0 failed")
    }

    @Test func `an answer that differs fails, and no file is written`() throws {
        let wrong = Self.noToken.replacing("401", with: "403")
        let bench = try bench("{\(wrong)}")
        expectEqual(bench.replay(updates: true), 1)
        #expect(bench.text.contains("statusCode: expected 403, found 401"), "\(bench.text)")
        #expect(bench.text.contains("is changed in its contract's table"), "\(bench.text)")
    }

    @Test func `a route can be excluded`() throws {
        let excepted = Self.noToken.replacing(
            #""with""#, with: #""except": ["PUT /x/x"], "with""#)
        let bench = try bench("{\(excepted)}")
        expectEqual(bench.replay(), 0, "\(bench.text)")
        expectEqual(bench.last, "1 passed, 0 failed")
    }

    @Test func `an answer that cannot be read fails only its own fixture`() throws {
        let bench = try bench("{\(Self.noToken)}")
        try bench.write(
            #"{"request": "GET /y", "answer": {"status": 200, "boddy": 1}}"#,
            to: "Events/f/wrong.json")
        expectEqual(bench.replay(), 1)
        #expect(bench.text.contains("f/wrong\n    answer.boddy is unknown"), "\(bench.text)")
        expectEqual(bench.last, "2 passed, 1 failed")
    }

    @Test(arguments: [
        (#"{"a": {"boddy": 1, "answer": "x"}}"#, "mine.refusals.json.a.boddy is unknown"),
        (#"{"A": {"answer": "x"}}"#, "mine.refusals.json.A is not a valid name"),
        (#"{"a": {"with": "boddy", "answer": "x"}}"#, "expected bearer or body, found 'boddy'"),
        (#"{"a": {"except": ["GET /y"], "answer": "x"}}"#, "no fixture of 'GET /y' succeeds"),
        (#"{"a": {}}"#, "mine.refusals.json.a has no answer"), ("[]", "is not an object"),
    ])
    func `mistakes in the table are reported`(_ table: String, _ reason: String) throws {
        let bench = try bench(table)
        expectEqual(bench.replay(), 2)
        #expect(bench.noted.contains { $0.contains(reason) }, "\(bench.noted)")
    }
}

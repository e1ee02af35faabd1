import EmulatorDebugging
import TestSupport

/// The order and nesting of calls.
@Suite("Traces") struct TraceTests {
    private static func rows(_ calls: [RecordedCall]) -> [String] {
        let trace = Trace(Calls.trace, of: Calls.recorded(calls))
        return (trace?.rows ?? []).map {
            String(repeating: "-", count: $0.depth) + $0.call.title
        }
    }

    @Test func `a call is within the function and the route that were running`() {
        // In the order in which they ended.
        let rows = Self.rows([
            Calls.call(.dynamodb, "GetItem", on: "t", 3...4),
            Calls.call(.function, on: "authorizer", 2...5),
            Calls.call(.s3, "PutObject", on: "b/k", 12...14),
            Calls.call(.provider, "keys", on: "apple", 8...9),
            Calls.call(.function, on: "f", 7...20), Calls.call(.route, "POST", on: "/x", 1...30),
            // Another request of the same client, with the same ID.
            Calls.call(.route, "GET", on: "/y", 40...41),
        ])
        expectEqual(
            rows,
            [
                "POST /x", "-authorizer", "--dynamodb GetItem t", "-f", "--provider keys apple",
                "--s3 PutObject b/k", "GET /y",
            ])
    }

    @Test func `a function may call another, and a route`() {
        let rows = Self.rows([
            Calls.call(.dynamodb, "GetItem", on: "t", 6...7),
            Calls.call(.function, on: "inner", 5...8), Calls.call(.route, "GET", on: "/x", 4...9),
            Calls.call(.function, on: "other", 11...12), Calls.call(.function, on: "outer", 3...14),
        ])
        expectEqual(
            rows,
            [
                "outer", "-GET /x", "--inner", "---dynamodb GetItem t", "-other",
            ])
    }

    @Test func `a call after the function's response still belongs to the function`() {
        let rows = Self.rows([
            Calls.call(.function, on: "f", 2...5), Calls.call(.route, "POST", on: "/x", 1...6),
            Calls.call(.ses, "SendEmail", 8...9),
        ])
        expectEqual(rows, ["POST /x", "-f", "--ses SendEmail"])
    }

    @Test func `concurrent calls of one service are siblings`() {
        let rows = Self.rows([
            Calls.call(.dynamodb, "Query", 3...4), Calls.call(.dynamodb, "GetItem", 2...5),
            Calls.call(.function, on: "f", 1...6),
        ])
        expectEqual(rows, ["f", "-dynamodb GetItem", "-dynamodb Query"])
    }

    @Test func `the latest traces come first, and each has its own calls`() {
        let calls = Calls.recorded([
            Calls.call(.route, "GET", on: "/1", 0...1, in: Calls.id(1)),
            Calls.call(.dynamodb, "GetItem", in: Calls.id(3)),
            Calls.call(.s3, "GetObject", 2...3, in: Calls.id(2)),
            Calls.call(.route, "GET", on: "/2", 1...4, in: Calls.id(2)),
        ])
        let traces = Trace.latest(of: calls, max: 10)
        expectEqual(traces.map(\.id), [Calls.id(2), Calls.id(3), Calls.id(1)])
        expectEqual(traces.map(\.rows.count), [2, 1, 1])
        expectEqual(Trace.latest(of: calls, max: 1).count, 1)
    }

    @Test func `a trace is found by a unique part of its ID`() {
        let calls = Calls.recorded([
            Calls.call(.route, in: Calls.id(0xABCDE)), Calls.call(.route, in: Calls.id(0xFBCDE)),
        ])
        func find(_ text: String) -> String {
            switch Trace.find(text, in: calls) {
            case .found(let trace): trace.id.description
            case .none: "none"
            case .several: "several"
            }
        }
        expectEqual(find("abcde"), Calls.id(0xABCDE).description)
        expectEqual(find("last"), Calls.id(0xFBCDE).description)
        expectEqual(find(Calls.id(0xABCDE).description), Calls.id(0xABCDE).description)
        expectEqual(find("bcde"), "several")
        expectEqual(find("cde"), "none")
        expectEqual(find(Calls.id(7).description), "none")
    }

    @Test func `requests with a token in common are linked`() throws {
        func marks(_ values: String...) -> TraceMarks {
            var marks = TraceMarks()
            for value in values { marks.add(Array("\(value)-sixteen-bytes-long".utf8)[...]) }
            return marks
        }
        let calls = Calls.recorded([
            Calls.call(.provider, "authorize", 0...1, in: Calls.id(1), marks: marks("code")),
            Calls.call(.route, "POST", 2...3, in: Calls.id(2), marks: marks("code", "refresh")),
            Calls.call(.route, "GET", 4...5, in: Calls.id(3), marks: marks("other")),
            Calls.call(.route, "POST", 6...7, in: Calls.id(4), marks: marks("refresh")),
        ])
        let signIn = try #require(Trace(Calls.id(2), of: calls))
        expectEqual(signIn.linked(in: calls).map(\.id), [Calls.id(1), Calls.id(4)])
        #expect(try #require(Trace(Calls.id(3), of: calls)).linked(in: calls).isEmpty)
    }

    @Test func `the verdict comes from the outermost or the worst call`() {
        func verdict(_ calls: [RecordedCall]) -> CallVerdict? {
            Trace(Calls.trace, of: Calls.recorded(calls))?.verdict
        }
        let refused = Calls.call(
            .dynamodb, "PutItem", 2...3, ending: .answered(status: 400, detail: []))
        expectEqual(verdict([refused, Calls.call(.function, on: "f", 1...4)]), .ok)
        expectEqual(verdict([refused]), .refused)
        expectEqual(
            verdict([refused, Calls.call(.s3, "GetObject", 5...6, ending: .reset)]), .failed)
    }
}

import EmulatorReplay
import TestSupport

/// `emulator replay --costs`
@Suite("Costs of a replay") struct ReplayCostTests {
    /// Reads two items at the same time and a cached one, writes one of 1.5 KB twice, of which the
    /// second fails, answers, and deletes it.
    private static let program = #"""
        #!/usr/bin/python3 -IS
        import json, os, sys, threading, urllib.error, urllib.request

        def call(operation, body):
            request = urllib.request.Request(
                os.environ["URL"], json.dumps({"TableName": os.environ["TABLE"]} | body).encode(),
                {"X-Amz-Target": f"DynamoDB_20120810.{operation}",
                 "Content-Type": "application/x-amz-json-1.0"})
            try:
                urllib.request.urlopen(request).read()
            except urllib.error.HTTPError as error:
                if error.code != 400:
                    raise

        def key(name):
            return {"pk": {"S": name}, "sk": {"S": "1"}}

        sys.stdin.read()
        if "URL" not in os.environ:
            sys.exit(print('{"done": true}'))
        call("GetItem", {"Key": key("KEYS#1")})
        reads = [threading.Thread(target=call, args=("GetItem", {"Key": key(name)})) for name in \#
        "AB"]
        for read in reads:
            read.start()
        for read in reads:
            read.join()
        for _ in range(2):
            call("PutItem", {"Item": key("A") | {"text": {"S": "x" * 1500}},
                             "ConditionExpression": "attribute_not_exists(pk)"})
        print('{"done": true}', flush=True)
        os.close(1)
        call("DeleteItem", {"Key": key("A")})
        """#

    private func bench() throws -> FixtureWorkspace {
        let bench = try FixtureWorkspace()
        try bench.install("work", Self.program)
        try bench.write(
            #"""
            {
              "environment": {"STORE": "file:<directory>/state"},
              "stores": {"dynamodb": {"URL": "<dynamodb>", "TABLE": "<table>"}},
              "cachedPartitions": ["KEYS#"]
            }
            """#, to: "Events/settings.json")
        for name in ["first", "second"] {
            try bench.write("{}", to: "Events/work/\(name).json")
            try bench.write(#"{"done": true}"#, to: "Events/work/\(name).response.json")
        }
        return bench
    }

    private static let row = "| 3 + 1 | 1 | 6 |"

    @Test func `a new table has a row for each route`() throws {
        let bench = try bench()
        expectEqual(bench.replay(store: "dynamodb", costs: "costs.md"), 0, "\(bench.text)")
        expectEqual(bench.last?.hasSuffix("costs.md: 1 of 1 rows changed"), true)
        try expectEqual(
            bench.read("costs.md"),
            """
            | Fixture | Trips | Read units | Write units |
            |---|---:|---:|---:|
            | `work/first` \(Self.row)

            """)
    }

    @Test func `the rows of a table are measured and sorted, and the rest is kept`() throws {
        let bench = try bench()
        func table(_ rows: [String]) -> String {
            """
            Text.

            | Fixture | Case | Trips | Read units | Write units |
            |---|---|---:|---:|---:|
            \(rows.joined(separator: "\n"))

            More text.

            """
        }
        try bench.write(
            table(["| `work/second` | again | 0 | 0 | 0 |", "| `work/first` | once \(Self.row)"]),
            to: "costs.md")
        expectEqual(bench.replay(store: "dynamodb", costs: "costs.md"), 0, "\(bench.text)")
        expectEqual(bench.last?.hasSuffix("costs.md: 1 of 2 rows changed"), true)
        try expectEqual(
            bench.read("costs.md"),
            table(["| `work/first` | once \(Self.row)", "| `work/second` | again \(Self.row)"]))
    }

    @Test(arguments: [
        ("| `work/third` | 1 | 1 | 1 |", "has a row of work/third, which is not a fixture"),
        ("| work/first | 1 | 1 | 1 |", "costs.md:3: expected a row such as"),
        ("| `work/first` | 1 |", "costs.md:3: expected a row such as"),
    ])
    func `an invalid row is reported`(row: String, problem: String) throws {
        let bench = try bench()
        try bench.write("| Fixture |\n|---|\n\(row)\n", to: "costs.md")
        expectEqual(bench.replay(store: "dynamodb", costs: "costs.md"), 2)
        #expect(bench.noted.contains { $0.contains(problem) }, "\(bench.noted)")
    }

    @Test func `a fixture with its own store cannot be measured`() throws {
        let bench = try bench()
        try bench.write(#"{"anyStore": false}"#, to: "Events/work/first.given.json")
        try bench.write("| Fixture |\n|---|\n| `work/first` | 1 | 1 | 1 |\n", to: "costs.md")
        expectEqual(bench.replay(only: "first", store: "dynamodb", costs: "costs.md"), 1)
        #expect(bench.text.contains("it has a store of its own"), "\(bench.text)")
    }

    @Test func `costs need the emulator's DynamoDB`() throws {
        let bench = try bench()
        expectEqual(bench.replay(costs: "costs.md"), 2)
        expectEqual(bench.noted.last?.contains("--costs needs --store dynamodb"), true)
    }
}

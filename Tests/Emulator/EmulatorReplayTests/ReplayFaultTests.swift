import EmulatorReplay
import TestSupport

/// `emulator replay --faults`
@Suite("Faults of a replay") struct ReplayFaultTests {
    /// Counts, and writes an item, each up to twice; after a failure it answers as MODE says.
    private static let program = #"""
        #!/usr/bin/python3 -IS
        import http.client, json, os, sys, urllib.error, urllib.request

        mode = os.environ["MODE"]

        def call(operation, body):
            data = json.dumps({"TableName": os.environ["TABLE"]} | body).encode()
            headers = {"X-Amz-Target": f"DynamoDB_20120810.{operation}",
                       "Content-Type": "application/x-amz-json-1.0"}
            for attempt in range(2):
                try:
                    url = urllib.request.Request(os.environ["URL"], data, headers)
                    return urllib.request.urlopen(url).read()
                except urllib.error.HTTPError as error:
                    if error.code == 400:
                        answer(409, "CONFLICT")
                except (OSError, http.client.HTTPException):
                    pass
            if mode != "careless":
                answer({"broken": 500}.get(mode, 503), "UNAVAILABLE")

        def answer(status, text):
            print(json.dumps({"statusCode": status, "body": json.dumps({"text": text})}))
            sys.exit()

        sys.stdin.read()
        call("UpdateItem", {"Key": {"pk": {"S": "N"}, "sk": {"S": "1"}},
                            "UpdateExpression": "ADD n :n",
                            "ExpressionAttributeValues": {":n": {"N": "1"}}})
        condition = {"ConditionExpression": "attribute_not_exists(pk)"} if mode == "once" else {}
        call("PutItem", {"Item": {"pk": {"S": "A"}, "sk": {"S": "1"}}} | condition)
        answer(200, "DONE")
        """#

    private func bench(mode: String) throws -> FixtureWorkspace {
        let bench = try FixtureWorkspace()
        try bench.install("work", Self.program)
        try bench.write(
            #"""
            {
              "environment": {"STORE": "file:<directory>/state"},
              "stores": {"dynamodb": {"URL": "<dynamodb>", "TABLE": "<table>"}}
            }
            """#, to: "Events/settings.json")
        try bench.write("{}", to: "Events/work/done.json")
        try bench.write(
            #"{"environment": {"MODE": "\#(mode)"}}"#, to: "Events/work/done.given.json")
        try bench.write(
            #"{"statusCode": 200, "body": {"text": "DONE"}}"#, to: "Events/work/done.response.json")
        return bench
    }

    @Test func `answers that report unavailability and can be repeated are not wrong`()
        throws
    {
        let bench = try bench(mode: "right")
        expectEqual(bench.replay(store: "dynamodb", faults: true), 0, "\(bench.text)")
        expectEqual(bench.printed, ["6 faults in 1 of 1 fixtures, 0 wrong answers"])
    }

    @Test(arguments: [
        (
            "careless",
            "PutItem 1 is refused: the usual answer, although 1 of 2 writes were not made"
        ),
        (
            "broken",
            "PutItem 1 is refused: expected the usual answer, or that the service is unavailable; "
                + "found {\"statusCode\": 500"
        ),
        (
            "once",
            "PutItem 1 is carried out, but its answer is lost once: expected the usual answer, or "
                + "that the service is unavailable; found {\"statusCode\": 409"
        ),
    ])
    func `a wrong answer is reported`(mode: String, problem: String) throws {
        let bench = try bench(mode: mode)
        expectEqual(bench.replay(store: "dynamodb", faults: true), 1)
        #expect(bench.text.contains(problem), "\(bench.text)")
    }

    @Test func `an answer that is listed as unavailable in the settings is allowed`() throws {
        let bench = try bench(mode: "broken")
        let settings = try bench.read("Events/settings.json")
        try bench.write(
            #"{"unavailable": ["500 UNAVAILABLE"], \#(settings.dropFirst())"#,
            to: "Events/settings.json")
        expectEqual(bench.replay(store: "dynamodb", faults: true), 0, "\(bench.text)")
    }

    @Test func `a fixture that does not pass without a fault is reported`() throws {
        let bench = try bench(mode: "right")
        try bench.write("{\"statusCode\": 201}", to: "Events/work/done.response.json")
        expectEqual(bench.replay(store: "dynamodb", faults: true), 1)
        #expect(bench.text.contains("does not pass without a fault"))
    }

    @Test func `faults need the emulator's DynamoDB`() throws {
        let bench = try bench(mode: "right")
        expectEqual(bench.replay(faults: true), 2)
        expectEqual(bench.noted.last?.contains("--faults needs --store dynamodb"), true)
    }
}

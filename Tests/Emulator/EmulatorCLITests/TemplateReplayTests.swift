import BaseTestSupport
import Foundation

/// `emulator replay --template`: fixtures of functions in any language that the emulator runs.
@Suite("Replay of a template's functions", .serialized, .hangLimit)
struct TemplateReplayTests {
    private let folder: TemporaryFolder

    /// Counts its visitors in a table, and has a setting.
    private static let python = """
        import json, os, boto_free
        def handler(event, context):
            n = boto_free.count(os.environ["TABLE"])
            return {"statusCode": 200, "body": json.dumps({"greeting": os.environ["GREETING"], \
            "n": n})}
        """
    /// The one call to DynamoDB, without the SDK.
    private static let table = #"""
        import hashlib, hmac, json, os, time, urllib.request
        def count(table):
            body = {"TableName": table, "Key": {"id": {"S": "visits"}},
                    "UpdateExpression": "ADD n :one", "ReturnValues": "UPDATED_NEW",
                    "ExpressionAttributeValues": {":one": {"N": "1"}}}
            url, body = os.environ["AWS_ENDPOINT_URL"], json.dumps(body).encode()
            headers = {"content-type": "application/x-amz-json-1.0", "host": url.split("/")[2],
                       "x-amz-date": time.strftime("%Y%m%dT%H%M%SZ", time.gmtime()),
                       "x-amz-security-token": os.environ["AWS_SESSION_TOKEN"],
                       "x-amz-target": "DynamoDB_20120810.UpdateItem"}
            headers["authorization"] = signature(headers, body)
            try:
                answer = urllib.request.urlopen(urllib.request.Request(url + "/", body, headers))
            except urllib.error.HTTPError as refused:
                raise RuntimeError(refused.read().decode())
            return int(json.load(answer)["Attributes"]["n"]["N"])
        def signature(headers, body):
            names, date = ";".join(headers), headers["x-amz-date"]
            scope = [date[:8], os.environ["AWS_REGION"], "dynamodb", "aws4_request"]
            canonical = "\n".join(["POST", "/", "", *(f"{n}:{v}" for n, v in headers.items()), "",
                                   names, hashlib.sha256(body).hexdigest()])
            text = "\n".join(["AWS4-HMAC-SHA256", date, "/".join(scope),
                              hashlib.sha256(canonical.encode()).hexdigest()])
            key = ("AWS4" + os.environ["AWS_SECRET_ACCESS_KEY"]).encode()
            for part in [*scope, text]:
                key = hmac.new(key, part.encode(), "sha256").digest()
            return (f"AWS4-HMAC-SHA256 Credential={os.environ['AWS_ACCESS_KEY_ID']}/"
                    f"{'/'.join(scope)}, SignedHeaders={names}, Signature={key.hex()}")
        """#
    private static let node = """
        exports.handler = async (event) => ({
          statusCode: 200,
          headers: {"content-type": "text/plain"},
          body: event.pathParameters ? event.routeKey
            : `hello ${event.queryStringParameters?.name ?? "nobody"}`,
        });
        """
    private static let template = """
        Transform: AWS::Serverless-2016-10-31
        Resources:
          Visits:
            Type: AWS::DynamoDB::Table
            Properties:
              AttributeDefinitions: [{AttributeName: id, AttributeType: S}]
              KeySchema: [{AttributeName: id, KeyType: HASH}]
              BillingMode: PAY_PER_REQUEST
          Count:
            Type: AWS::Serverless::Function
            Properties:
              CodeUri: python
              Handler: app.handler
              Runtime: python3.13
              Environment: {Variables: {TABLE: !Ref Visits, GREETING: good day}}
              Policies: [{DynamoDBCrudPolicy: {TableName: !Ref Visits}}]
              Events: {Get: {Type: HttpApi, Properties: {Path: /count, Method: get}}}
          Hello:
            Type: AWS::Serverless::Function
            Properties:
              CodeUri: node
              Handler: index.handler
              Runtime: nodejs22.x
              Events:
                Get: {Type: HttpApi, Properties: {Path: /hello, Method: get}}
                Put: {Type: HttpApi, Properties: {Path: "/greetings/{id}", Method: put}}
        """

    init() throws {
        folder = try TemporaryFolder()
        for path in ["python", "node", "Events"] { try folder.makeFolder(path) }
        try folder.write(Array(Self.python.utf8), to: "python/app.py")
        try folder.write(Array(Self.table.utf8), to: "python/boto_free.py")
        try folder.write(Array(Self.node.utf8), to: "node/index.js")
        try folder.write(Array(Self.template.utf8), to: "template.yaml")
    }

    private func write(_ event: String, _ answer: String, to name: String) throws {
        let function = String(name.prefix { $0 != "/" })
        if !folder.exists("Events/\(function)") { try folder.makeFolder("Events/\(function)") }
        try folder.write(Array(event.utf8), to: "Events/\(name).json")
        try folder.write(Array(answer.utf8), to: "Events/\(name).response.json")
    }

    private func run(_ words: [String]) throws -> ProcessResult {
        try ChildProcess.run(EmulatorProcess.command(words))
    }

    private func replay(_ more: String...) throws -> ProcessResult {
        try run(
            ["replay", folder.file("Events"), "--template", folder.file("template.yaml")] + more)
    }

    /// As a browser sends it.
    private static let browser = [
        ("User-Agent", "Mozilla/5.0 (X11; Linux x86_64) Chrome/141.0"),
        ("Accept-Encoding", "gzip, br"), ("Sec-CH-UA", #""Chromium";v="141""#),
        ("Sec-Fetch-Dest", "document"), ("X-Own", "kept"),
    ]

    @Test func `the printed command replays recorded requests, and fails if a response changes`()
        throws
    {
        let emulator = try EmulatorProcess(
            template: folder.file("template.yaml"), ["--ephemeral", "--quiet"])
        let caller = EmulatorClient(emulator)
        var commands: [[String]] = []
        for path in ["/count", "/hello?name=Ada"] {
            let answer = try caller.app(.get, path, headers: Self.browser)
            expectEqual(answer.status, 200, "\(answer.text)")
            var made: ProcessResult?
            #expect(
                try eventually {
                    made = try run([
                        "record", "--into", folder.file("Events"), "--url", emulator.appURL,
                    ])
                    return made?.end == .exit(0)
                })
            let line = try #require(
                made?.errorText.split(separator: "\n").first { $0.hasPrefix("replay it: ") })
            commands.append(line.split(separator: " ").dropFirst(3).map(String.init))
        }
        #expect(emulator.process.end().waitUntilGone())
        for command in commands {
            let replayed = try run(command)
            expectEqual(replayed.text, "1 passed, 0 failed\n", "\(command) \(replayed.text)")
        }
        try expectEqual(replay().text, "2 passed, 0 failed\n")
        let event = try String(
            decoding: folder.read("Events/Count/get-count-200.json"), as: UTF8.self)
        #expect(event.contains(#""headers": {"x-own": "kept"}"#), "\(event)")
        #expect(event.contains(#""request": "GET /count""#), "\(event)")
        let other = Self.node.replacing("hello", with: "good evening")
        try folder.write(Array(other.utf8), to: "node/index.js")
        let changed = try replay()
        expectEqual(changed.end, .exit(1))
        #expect(changed.text.contains("Hello/get-hello-200\n"), "\(changed.text)")
        #expect(
            changed.text.contains(#"body: expected "hello Ada", found "good evening Ada""#),
            "\(changed.text)")
        #expect(changed.text.hasSuffix("1 passed, 1 failed\n"), "\(changed.text)")
    }

    @Test func `each fixture has its own tables, which its steps share`() throws {
        let step = #"{"function": "Count", "request": "GET /count"}"#
        try write(#"{"request": "GET /count"}"#, Self.answer(1), to: "Count/first")
        try write(
            #"{"given": {"steps": [\#(step), \#(step)]}, "request": "GET /count"}"#,
            Self.answer(3), to: "Count/third")
        let replayed = try replay()
        expectEqual(replayed.text, "2 passed, 0 failed\n", "\(replayed.errorText)")
    }

    @Test func `a strict replay fails if a function does what its policies do not allow`() throws {
        try write(
            #"{"request": "GET /count"}"#,
            #"{"statusCode": 200, "body": {"greeting": "good day", "n": 1}}"#, to: "Count/first")
        try expectEqual(replay("--strict").text, "1 passed, 0 failed\n")
        let readOnly = Self.template.replacing("DynamoDBCrudPolicy", with: "DynamoDBReadPolicy")
        try folder.write(Array(readOnly.utf8), to: "template.yaml")
        try expectEqual(replay().text, "1 passed, 0 failed\n")
        let refused = try replay("--strict")
        expectEqual(refused.end, .exit(1))
        #expect(refused.text.contains("dynamodb:UpdateItem"), "\(refused.text)")
        let alone = try run(["replay", folder.file("Events"), "--strict"])
        #expect(alone.errorText.contains("--strict needs --template FILE"), "\(alone.errorText)")
    }

    @Test func `without executables the template of the folder is replayed, as serve runs it`()
        throws
    {
        try write(#"{"request": "GET /count"}"#, Self.answer(1), to: "Count/first")
        func replay(_ words: String...) throws -> ProcessResult {
            try ChildProcess.run(EmulatorProcess.command(["replay"] + words).working(in: folder))
        }
        let replayed = try replay()
        expectEqual(replayed.text, "1 passed, 0 failed\n", "\(replayed.errorText)")
        try folder.write(Array("Resources: 1".utf8), to: "template.yaml")
        let wrong = try replay()
        expectEqual(wrong.end, .exit(2))
        #expect(wrong.errorText.hasPrefix("replay: template.yaml:1:"), "\(wrong.errorText)")
        try FileManager.default.removeItem(atPath: folder.file("template.yaml"))
        #expect(try replay().errorText.contains("executables not found"))
    }

    private static let keyed = #"{"request": "PUT /greetings/first"}"#

    @Test func `a request without a route gets the template's route, or is an error`() throws {
        let step = #"{"function": "Hello", "request": "PUT /greetings/first"}"#
        let keyed = #"{"given": {"steps": [\#(step)]}, "request": "PUT /greetings/second"}"#
        let answer =
            #"{"statusCode": 200, "headers": {"content-type": "text/plain"}, "#
            + #""body": "PUT /greetings/{id}"}"#
        try write(keyed, answer, to: "Hello/keyed")
        let replayed = try replay()
        expectEqual(replayed.text, "1 passed, 0 failed\n", "\(replayed.errorText)")
        let wrong = step.replacing("PUT", with: "POST")
        try write(keyed.replacing(step, with: wrong), answer, to: "Hello/keyed")
        let failed = try replay()
        #expect(
            failed.text.contains(
                "POST /greetings/first matches no route of an HTTP API to Hello, which has "
                    + "GET /hello, PUT /greetings/{id}\n"), "\(failed.text)")
    }

    @Test func `invoke finds the function in the folder's template, and its route`() throws {
        try folder.write(Array(Self.keyed.utf8), to: "event.json")
        func invoke(_ words: [String]) throws -> ProcessResult {
            try ChildProcess.run(
                EmulatorProcess.command(["invoke", "Hello", "--event", "event.json"] + words)
                    .working(in: folder))
        }
        let local = try invoke(["--local"])
        #expect(local.text.contains(#""body":"PUT /greetings/{id}""#), "\(local.text)")
        #expect(
            local.errorText.contains("runs Hello of the template in this folder"),
            "\(local.errorText)")
        let emulator = try EmulatorProcess(
            template: folder.file("template.yaml"), ["--ephemeral", "--quiet"])
        let served = try invoke(["--url", emulator.appURL])
        #expect(served.text.contains(#""body":"PUT /greetings/{id}""#), "\(served.text)")
        // The named template runs, whatever an emulator serves, and from any folder.
        let named = try run([
            "invoke", "Hello", "--event", folder.file("event.json"),
            "--template", folder.file("template.yaml"),
        ])
        #expect(named.text.contains(#""body":"PUT /greetings/{id}""#), "\(named.text)")
        let both = try invoke(["--url", emulator.appURL, "--template", "template.yaml"])
        #expect(both.end == .exit(2) && both.errorText.contains("cannot be combined"))
        try folder.write(Array(#"{"request": "GET /nowhere"}"#.utf8), to: "event.json")
        let wrong = try invoke(["--url", emulator.appURL])
        expectEqual(wrong.end, .exit(2))
        #expect(wrong.errorText.contains("matches no route"), "\(wrong.errorText)")
    }

    @Test func `a fixture's environment overrides the template's`() throws {
        let given = #"{"given": {"environment": {"GREETING": "moin"}}, "request": "GET /count"}"#
        try write(given, Self.answer(1, "moin"), to: "Count/first")
        let replayed = try replay()
        expectEqual(replayed.text, "1 passed, 0 failed\n", "\(replayed.errorText)")
    }

    @Test func `the error for a folder without a function suggests the nearest one`() throws {
        try write("{}", "{}", to: "Helo/a")
        let replayed = try replay()
        expectEqual(replayed.end, .exit(1))
        #expect(
            replayed.text.contains(
                "the template has no function Helo; did you mean Hello?; functions: Count, Hello"),
            "\(replayed.text)")
    }

    @Test func `with one function for all routes, a fixture replays with that function`()
        throws
    {
        let step = #"{"function": "all-in-one", "request": "GET /count"}"#
        let given = #"{"given": {"steps": [\#(step)]}, "request": "GET /count"}"#
        try write(given, Self.answer(2), to: "all-in-one/second")
        let replayed = try replay()
        expectEqual(replayed.text, "1 passed, 0 failed\n", "\(replayed.errorText)")
    }

    private static func answer(_ n: Int, _ greeting: String = "good day") -> String {
        #"{"statusCode": 200, "body": {"greeting": "\#(greeting)", "n": \#(n)}}"#
    }
}

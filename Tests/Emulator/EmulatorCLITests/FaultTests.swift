import BaseTestSupport
import Foundation

/// `/_emulator/faults` and `/_emulator/gates`, and their commands, with every service.
@Suite("Faults and gates", .serialized, .hangLimit)
struct FaultTests {
    private static func project(_ arguments: [String] = ["--quiet"]) throws -> EmulatorProject {
        let project = try EmulatorProject([:], arguments)
        try project.write([
            "f": try ScriptedFunction.function(project, "f"),
            "Items": JSONObject.table("items"), "Others": JSONObject.table("others"),
            "B": JSONObject.bucket("bucket"),
        ])
        return project
    }

    private let emulator: EmulatorProcess
    private let caller: EmulatorClient

    init() throws {
        emulator = try Self.project().start()
        caller = EmulatorClient(emulator)
    }

    @discardableResult
    private func add(_ fault: String, to list: String = "faults") throws -> JSON {
        let answer = try caller.app(.post, "/_emulator/\(list)", fault)
        expectEqual(answer.status, 201, "\(answer.text)")
        return answer.json ?? .null
    }

    private func list() throws -> [JSON] {
        try caller.app(.get, "/_emulator/faults").json?["faults"]?.arrayValue ?? []
    }

    private func run(
        _ words: [String]
    ) throws -> (end: ProcessResult.End, output: String, error: String) {
        let result = try ChildProcess.run(
            EmulatorProcess.command(words + ["--url", emulator.appURL]))
        return (result.end, result.text, result.errorText)
    }

    private func put(_ key: String, in table: String = "items") throws -> HTTPResponse {
        try caller.table(
            "PutItem",
            [
                "TableName": .string(table),
                "Item": ["pk": ["S": .string(key)], "sk": ["S": "s"]],
            ])
    }

    private func has(_ key: String) throws -> Bool {
        let answer = try caller.table(
            "GetItem",
            ["TableName": "items", "Key": ["pk": ["S": .string(key)], "sk": ["S": "s"]]])
        return answer.json?["Item"] != nil
    }

    private static let reply = #"{"do":"reply","reply":"{\"statusCode\":201,\"body\":\"fine\"}"}"#

    // MARK: Services

    @Test func `a fault of DynamoDB affects only one table and one operation`() throws {
        try add(
            #"{"match":{"service":"dynamodb","operation":"PutItem","table":"items"},"#
                + #""effect":"error","error":"InternalServerError","count":2}"#)
        try expectEqual(put("a", in: "others").status, 200)
        #expect(try !has("a"))
        for _ in 0..<2 {
            let answer = try put("a")
            expectEqual(answer.status, 500)
            expectEqual(
                answer.json?["__type"], "com.amazonaws.dynamodb.v20120810#InternalServerError")
        }
        #expect(try !has("a"))
        try expectEqual(put("a").status, 200)
        let fault = try #require(try list().first)
        #expect(fault["hits"] == 2 && fault["left"] == 0)
        try expectEqual(caller.app(.get, "/_emulator/faults").json?["on"], false)
    }

    @Test func `a write whose response is lost is executed`() throws {
        try add(
            #"{"match":{"service":"dynamodb","operation":"PutItem"},"effect":"lose","#
                + #""answer":"InternalServerError","count":1}"#)
        try expectEqual(put("lost").status, 500)
        #expect(try has("lost"))
        try add(#"{"match":{"service":"dynamodb","operation":"PutItem"},"effect":"lose"}"#)
        #expect(throws: (any Error).self) { try put("reset") }
        #expect(try has("reset"))
    }

    @Test func `a write that is reset is not executed`() throws {
        try add(#"{"match":{"service":"dynamodb","operation":"PutItem"},"effect":"reset"}"#)
        #expect(throws: (any Error).self) { try put("reset") }
        #expect(try !has("reset"))
    }

    @Test func `routes and functions are delayed, throttled and fail`() throws {
        try add(
            #"{"match":{"service":"route","path":"/f"},"effect":"delay","milliseconds":300,"#
                + #""count":1}"#)
        let begun = Date()
        try expectEqual(caller.app(.post, "/f", Self.reply).status, 201)
        #expect(Date().timeIntervalSince(begun) >= 0.3)
        try add(#"{"match":{"service":"route"},"effect":"throttle","count":1}"#)
        let throttled = try caller.app(.post, "/f", Self.reply)
        #expect(throttled.status == 429 && throttled.json?["message"] == "Too Many Requests")
        try add(
            #"{"match":{"service":"function","function":"f"},"effect":"error","#
                + #""error":"Runtime.ExitError","count":2}"#)
        try expectEqual(caller.app(.post, "/f", Self.reply).status, 500)
        let invoked = try caller.invoke("f", Self.reply)
        expectEqual(invoked.headers.value("x-amz-function-error"), "Unhandled")
        expectEqual(invoked.json?["errorType"], "Runtime.ExitError")
        try add(#"{"match":{"service":"function"},"effect":"throttle","count":1}"#)
        try expectEqual(caller.invoke("f", Self.reply).status, 429)
        try add(
            #"{"match":{"service":"function"},"effect":"hang","milliseconds":100,"count":1}"#)
        let late = try caller.invoke("f", Self.reply)
        expectEqual(late.json?["errorType"], "Sandbox.Timedout")
        #expect(try ScriptedFunction.isFine("f", caller))
    }

    @Test func `a fault of S3 affects only an operation, a bucket or keys`() throws {
        try add(
            #"{"match":{"service":"s3","operation":"PutObject","bucket":"bucket","#
                + #""path":"photos/*"},"effect":"throttle"}"#)
        try expectEqual(caller.object(.put, "/bucket/other", [1]).status, 200)
        let answer = try caller.object(.put, "/bucket/photos/1", [1])
        #expect(answer.status == 503 && answer.text.contains("<Code>SlowDown</Code>"))
        try expectEqual(caller.object(.get, "/bucket/photos/1").status, 404)
    }

    @Test func `STS, SES, secrets and providers fail in their own format`() throws {
        for (service, error) in [
            ("sts", "InternalFailure"), ("ses", "TooManyRequestsException"),
            ("secrets", "InternalServiceError"), ("provider", "server_error"),
        ] {
            try add(
                #"{"match":{"service":"\#(service)"},"effect":"error","error":"\#(error)"}"#)
        }
        let form = "Action=GetCallerIdentity&Version=2011-06-15"
        let sts = try caller.aws(
            .post, "/", Array(form.utf8),
            headers: [("Content-Type", "application/x-www-form-urlencoded")])
        #expect(sts.status == 500 && sts.text.contains("<Code>InternalFailure</Code>"))
        let ses = try caller.aws(.post, "/v2/email/outbound-emails", Array("{}".utf8))
        expectEqual(ses.status, 429)
        let secret = try caller.target("secretsmanager.GetSecretValue", ["SecretId": "x"])
        expectEqual(secret.json?["__type"], "InternalServiceError")
        let keys = try caller.app(.get, "/_idp/google/oauth2/v3/certs")
        #expect(keys.status == 500 && keys.json?["error"] == "server_error")
        // Requests for tests, such as mint, are not matched as requests to a provider.
        try expectEqual(caller.app(.post, "/_idp/google/mint", "{}").status, 200)
    }

    @Test func `the list of faults contains also those of tokens and mail`() throws {
        try add(
            #"{"match":{"service":"provider","provider":"google"},"effect":"error","#
                + #""error":"jwks-500","count":1}"#)
        try expectEqual(caller.app(.get, "/_idp/apple/auth/keys").status, 200)
        try expectEqual(caller.app(.get, "/_idp/google/oauth2/v3/certs").status, 500)
        try expectEqual(caller.app(.get, "/_idp/google/oauth2/v3/certs").status, 200)
        try expectEqual(caller.app(.put, "/_idp/apple/faults", #"{"name":"expired"}"#).status, 200)
        try expectEqual(caller.app(.put, "/_emulator/mail/faults/throttled?times=2").status, 200)
        let texts = try list().map { $0["text"]?.stringValue ?? "" }
        expectEqual(
            texts,
            [
                "provider provider=google: error jwks-500, once",
                "provider provider=apple: error expired", "ses: error throttled, 2 times",
            ])
        try expectEqual(caller.app(.delete, "/_emulator/faults").status, 200)
        try expectEqual(caller.app(.get, "/_idp/apple/faults").json?["on"], [])
    }

    // MARK: Gates

    private func gate() throws -> JSON {
        try #require(
            try caller.app(.get, "/_emulator/gates").json?["gates"]?.arrayValue?.first)
    }

    @Test func `an incomplete gate opens after its time-out`() throws {
        try add(
            #"{"match":{"service":"route"},"arrivals":2,"timeoutMilliseconds":200}"#,
            to: "gates")
        try expectEqual(caller.app(.post, "/f", Self.reply).status, 201)
        try expectEqual(gate()["phase"], "timed-out")
    }

    // MARK: Commands, start and end

    @Test func `the commands add, list and remove`() throws {
        try expectEqual(run(["faults"]).output, "no faults\n")
        let added = try run([
            "faults", "add", "dynamodb", "error", "--operation", "PutItem", "--error",
            "ThrottlingException", "--count", "2",
        ])
        expectEqual(
            added.output,
            "1  dynamodb operation=PutItem: error ThrottlingException, 2 times  "
                + "(0 of 0 requests)\n", "\(added.error)")
        try expectEqual(put("a").status, 400)
        #expect(try run(["faults"]).output.contains("(1 of 1 requests)"))
        #expect(
            try caller.app(.get, "/_emulator/logs").text.contains("fault 1 is on: dynamodb"))
        try expectEqual(run(["faults", "remove", "1"]).output, "no faults\n")
        #expect(try run(["faults", "remove", "1"]).error.contains("No such fault: 1."))
        let wrong = try run(["faults", "add", "dynamodb", "error", "--error", "X"])
        #expect(wrong.end == .exit(1) && wrong.error.contains("InternalServerError"))
        #expect(try run(["faults", "known"]).output.contains("TransactWriteItems"))
        let gate = try run([
            "gate", "add", "route", "--path", "/f", "--arrivals", "2", "--order", "2,1",
        ])
        #expect(gate.output.contains("2 arrivals, let through as 2,1"), "\(gate.error)")
        #expect(try run(["gate", "open", "1"]).output.contains("opened"))
        try expectEqual(run(["gate", "remove", "all"]).output, "no gates\n")
        #expect(try run(["gate", "run", "x"]).error.contains("held, reordered"))
    }

    @Test func `active faults are in the banner`() throws {
        let project = try Self.project()
        try project.folder.write(
            Array(#"{"faults":[{"match":{"service":"s3"},"effect":"throttle"}]}"#.utf8),
            to: "faults.json")
        var command = project.command
        command.arguments += ["--faults", project.folder.file("faults.json")]
        let emulator = try EmulatorProcess(command)
        #expect(emulator.log.contains("faults that are on\n  1  s3: throttle\n"))
        try expectEqual(
            EmulatorClient(emulator).app(.get, "/_emulator/health").json?["faults"],
            ["1  s3: throttle"])
    }

    @Test func `held requests end when the emulator stops`() throws {
        try add(#"{"match":{"service":"route"},"effect":"hang"}"#)
        let order = RequestOrder()
        order.start { [self] in
            _ = try? EmulatorClient(emulator).app(.post, "/f", Self.reply)
        }
        #expect(try eventually { try list().first?["hits"] == 1 })
        let begun = Date()
        emulator.process.kill(SIGTERM)
        order.wait()
        expectEqual(emulator.process.wait().end, .exit(0))
        #expect(Date().timeIntervalSince(begun) < 10)
    }
}

/// Requests on their own threads.
private final class RequestOrder: Sendable {
    private let group = DispatchGroup()

    func start(_ body: @escaping @Sendable () -> Void) {
        group.enter()
        DetachedThread.run { [group] in
            body()
            group.leave()
        }
    }

    func wait() { group.wait() }
}

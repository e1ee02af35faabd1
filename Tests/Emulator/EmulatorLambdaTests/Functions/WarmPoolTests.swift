import BaseTestSupport
import EmulatorLambda
import Foundation

@Suite("Warm pool") struct WarmPoolTests {
    @Test func `one process handles events one after another`() throws {
        let kit = try FunctionServiceHarness([FunctionServiceHarness.definition()])
        let pids = try (0..<5).map { _ in try kit.invoke(#"{"do":"pid"}"#).text }
        expectEqual(Set(pids).count, 1)
    }

    @Test func `the event and its headers arrive unchanged`() throws {
        let kit = try FunctionServiceHarness([FunctionServiceHarness.definition()])
        let result = try kit.invoke(#"{"do":"headers"}"#, clientContext: #"{"custom":{}}"#)
        let headers = try JSON.parse(Array(result.text.utf8), limits: .event)
        expectEqual(headers["lambda-runtime-aws-request-id"]?.stringValue, result.requestID)
        expectEqual(
            headers["lambda-runtime-invoked-function-arn"]?.stringValue,
            "arn:aws:lambda:us-east-1:123456789012:function:subject")
        expectEqual(headers["lambda-runtime-client-context"]?.stringValue, #"{"custom":{}}"#)
        expectEqual(headers["content-type"]?.stringValue, "application/json")
        let deadline = try #require(
            headers["lambda-runtime-deadline-ms"]?.stringValue.flatMap { Double($0) })
        let now = Date().timeIntervalSince1970 * 1000
        #expect(deadline > now && deadline <= now + 20_000)
        let trace = try #require(headers["lambda-runtime-trace-id"]?.stringValue)
        #expect(
            trace.wholeMatch(
                of: /Root=1-[0-9a-f]{8}-[0-9a-f]{24};Parent=[0-9a-f]{16};Sampled=[01]/) != nil)
    }

    @Test func `the environment has only variables of Lambda and of the function`() throws {
        let settings = FunctionSettings(
            environment: [("AWS_ENDPOINT_URL", "http://127.0.0.1:1"), ("OVER", "platform")])
        let kit = try FunctionServiceHarness(
            [
                FunctionServiceHarness.definition(environment: [
                    ("MINE", "1"), ("OVER", "mine"), ("AWS_LAMBDA_FUNCTION_NAME", "forged"),
                ])
            ], settings: settings)
        let found = try JSON.parse(
            Array(try kit.invoke(#"{"do":"environment"}"#).text.utf8), limits: .event)
        let expected = [
            "MINE": "1", "OVER": "mine", "AWS_LAMBDA_FUNCTION_NAME": "subject",
            "AWS_LAMBDA_FUNCTION_VERSION": "$LATEST", "AWS_LAMBDA_FUNCTION_MEMORY_SIZE": "256",
            "_HANDLER": "a.handler", "LAMBDA_TASK_ROOT": "/tmp", "AWS_REGION": "us-east-1",
            "AWS_DEFAULT_REGION": "us-east-1", "TZ": ":UTC",
            "AWS_LAMBDA_LOG_GROUP_NAME": "/aws/lambda/subject",
            "AWS_LAMBDA_INITIALIZATION_TYPE": "on-demand",
            "AWS_ENDPOINT_URL": "http://127.0.0.1:1",
        ]
        for (name, value) in expected { expectEqual(found[name]?.stringValue, value, "\(name)") }
        expectEqual(found["HOME"], nil)
        expectEqual(found["AWS_LAMBDA_RUNTIME_API"]?.stringValue?.hasPrefix("127."), true)
    }

    @Test func `fifty concurrent invocations succeed, and no zombie is left`() throws {
        let kit = try FunctionServiceHarness([FunctionServiceHarness.definition()])
        let pending = (0..<50).map { _ in PendingResult() }
        for (index, result) in pending.enumerated() { kit.start("{\"n\":\(index)}", result) }
        for (index, result) in pending.enumerated() {
            expectEqual(result.wait()?.text, "{\"n\": \(index)}")
        }
        kit.service.stop()
        kit.supervisor.stop()
        #expect(eventually { zombies().isEmpty })
    }

    @Test func `concurrent invocations of a slow function get separate processes`() throws {
        let kit = try FunctionServiceHarness([
            FunctionServiceHarness.definition(timeoutMilliseconds: 30_000)
        ])
        let folder = try TemporaryFolder()
        let files = (0..<6).map { JSON.string(folder.file("\($0)")) }
        let pending = files.map { _ in PendingResult() }
        for (result, file) in zip(pending, files) {
            let event: JSON = ["do": "meet", "begun": file, "others": .array(files)]
            kit.start(event.text, result)
        }
        let results = pending.compactMap { $0.wait() }
        #expect(results.count == 6 && results.allSatisfy { !$0.isFailed })
        expectEqual(Set(results.map(\.text)).count, 6)
    }

    @Test func `invocations over the reserved concurrency are throttled`() throws {
        for mode in [FunctionConfiguration.Mode.warm, .cold] {
            let kit = try FunctionServiceHarness([
                FunctionServiceHarness.definition(mode: mode, reservedConcurrency: 2),
                FunctionServiceHarness.definition("closed", mode: mode, reservedConcurrency: 0),
            ])
            let pending = (0..<3).map { _ in PendingResult() }
            for result in pending { kit.start(#"{"do":"sleep","seconds":1}"#, result) }
            let reason = "ReservedFunctionConcurrentInvocationLimitExceeded"
            expectEqual(pending[2].wait()?.outcome, .throttled(reason: reason))
            expectEqual(pending[0].wait()?.isFailed, false)
            expectEqual(pending[1].wait()?.isFailed, false)
            try expectEqual(
                kit.invoke("{}", function: "closed").outcome, .throttled(reason: reason))
            try expectEqual(kit.invoke("{}").isFailed, false)
        }
    }

    @Test(arguments: [FunctionConfiguration.Mode.warm, .cold])
    func `a completion handler may send the next request`(mode: FunctionConfiguration.Mode)
        throws
    {
        let kit = try FunctionServiceHarness(
            [FunctionServiceHarness.definition(mode: mode, reservedConcurrency: 1)],
            settings: FunctionSettings(concurrencyMax: 1))
        let answers = Mutex<[InvocationResult]>([])
        // Called in the completion, the earliest possible time.
        @Sendable func ask(_ left: Int) {
            kit.service.invoke("subject", InvocationRequest(payload: Array("{}".utf8))) { result in
                answers.withLock { $0.append(result) }
                if left > 1 { ask(left - 1) }
            }
        }
        ask(10)
        #expect(eventually { answers.withLock { $0.count } == 10 })
        #expect(answers.withLock { $0 }.allSatisfy { $0.outcome == .answered(Array("{}".utf8)) })
    }

    @Test func `invocations over the account's concurrency are throttled`() throws {
        let kit = try FunctionServiceHarness(
            [FunctionServiceHarness.definition()], settings: FunctionSettings(concurrencyMax: 1))
        let first = PendingResult()
        kit.start(#"{"do":"sleep","seconds":1}"#, first)
        try expectEqual(
            kit.invoke("{}").outcome, .throttled(reason: "ConcurrentInvocationLimitExceeded"))
        expectEqual(first.wait()?.isFailed, false)
        try expectEqual(kit.invoke("{}").isFailed, false)
    }

    @Test func `idle processes are ended`() throws {
        let kit = try FunctionServiceHarness(
            [FunctionServiceHarness.definition()],
            settings: FunctionSettings(idleMillisecondsMax: 50))
        let pid = try #require(Int32(try kit.invoke(#"{"do":"pid"}"#).text))
        #expect(eventually { kill(pid, 0) != 0 })
        #expect(try kit.invoke(#"{"do":"pid"}"#).text != String(pid))
    }

    @Test func `invalid calls of the Runtime API get errors`() throws {
        let file = NSTemporaryDirectory() + "latchkey-misuse-\(UUID().uuidString)"
        defer { try? FileManager.default.removeItem(atPath: file) }
        let kit = try FunctionServiceHarness([FunctionServiceHarness.definition()])
        try expectEqual(kit.invoke("{\"do\":\"misuse\",\"file\":\"\(file)\"}").text, #""first""#)
        try expectEqual(kit.invoke("{}").isFailed, false)
        let seen = try JSON.parse(Array(Data(contentsOf: URL(filePath: file))), limits: .event)
        let statuses = seen.arrayValue?.compactMap { $0.arrayValue?.first?.int64Value }
        expectEqual(statuses, [400, 403, 202, 403])
        let types = seen.arrayValue?.compactMap { $0.arrayValue?.last?["errorType"]?.stringValue }
        expectEqual(
            types, ["InvalidRequestID", "InvalidStateTransition", "InvalidStateTransition"])
    }

    @Test func `a streamed response is buffered, and its failure is reported`() throws {
        let kit = try FunctionServiceHarness([FunctionServiceHarness.definition()])
        let good = try kit.invoke(#"{"do":"stream"}"#)
        expectEqual(good.outcome, .answered(Array("abcdef".utf8)))
        expectEqual(good.streamedType, "text/x")
        let body = Data(#"{"errorMessage":"late","errorType":"Late"}"#.utf8).base64EncodedString()
        let trailers =
            "Lambda-Runtime-Function-Error-Type: Function.Late\\r\\n"
            + "Lambda-Runtime-Function-Error-Body: \(body)\\r\\n"
        let bad = try kit.invoke(#"{"do":"stream","trailers":"\#(trailers)"}"#)
        expectEqual(bad.error.type, "Late")
    }

    @Test func `the log has START, END and REPORT lines, and its tail has at most 4 KB`() throws {
        let written = Mutex<[UInt8]>([])
        let kit = try FunctionServiceHarness(
            [FunctionServiceHarness.definition()],
            sink: FunctionLogSink { name, _, bytes in
                written.withLock { $0 += Array("[\(name)] ".utf8) + bytes }
            })
        let result = try kit.invoke(#"{"do":"log"}"#, wantsLog: true)
        let log = String(decoding: result.logTail, as: UTF8.self)
        let id = result.requestID
        #expect(log.hasPrefix("START RequestId: \(id) Version: $LATEST\nxxxxxxxxxx said\nEND "))
        let report = try #require(log.split(separator: "\n").last)
        // White space in the pattern is ignored.
        let pattern =
            #/
            REPORT\ RequestId:\ [0-9a-f-]{36}\t
            Duration:\ \d+\.\d\d\ ms\t
            Billed\ Duration:\ \d+\ ms\t
            Memory\ Size:\ 256\ MB\t
            Max\ Memory\ Used:\ \d+\ MB\t
            Init\ Duration:\ \d+\.\d\d\ ms\t
            /#
        #expect(report.wholeMatch(of: pattern) != nil)
        let second = try kit.invoke(#"{"do":"log","bytes":9000}"#, wantsLog: true)
        expectEqual(second.logTail.count, 4096)
        #expect(!String(decoding: second.logTail, as: UTF8.self).contains("Init Duration"))
        #expect(String(decoding: second.logTail, as: UTF8.self).contains("x said\nEND "))
        let all = written.withLock { String(decoding: $0, as: UTF8.self) }
        #expect(all.contains("[subject] START RequestId: \(id)"))
        #expect(try kit.invoke(#"{"do":"log"}"#).logTail.isEmpty)
    }
}

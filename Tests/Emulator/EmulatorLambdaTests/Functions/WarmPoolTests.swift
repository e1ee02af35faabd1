import BaseTestSupport
import EmulatorLambda
import Foundation

@Suite("Warm pool") struct WarmPoolTests {
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
}

import EmulatorLambda
import Foundation
import TestSupport

/// The result of each kind of failure, in both modes of dispatch.
@Suite("Failing functions") struct FunctionFailureTests {
    struct Case: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let event: String
        let type: String
        /// The message after `RequestId: … Error: `, or the complete message without such a prefix.
        let message: String
        var hasPrefix = true
    }

    private static let cases = [
        Case(
            testDescription: "exit status", event: #"{"do":"exit","status":127}"#,
            type: "Runtime.ExitError", message: "Runtime exited with error: exit status 127"),
        Case(
            testDescription: "exit 0", event: #"{"do":"exit","status":0}"#,
            type: "Runtime.ExitError", message: "Runtime exited without providing a reason"),
        Case(
            testDescription: "kill -9", event: #"{"do":"kill","signal":"SIGKILL"}"#,
            type: "Runtime.ExitError", message: "Runtime exited with error: signal: killed"),
        Case(
            testDescription: "segmentation fault", event: #"{"do":"kill","signal":"SIGSEGV"}"#,
            type: "Runtime.ExitError",
            message: "Runtime exited with error: signal: segmentation fault"),
        Case(
            testDescription: "too large", event: #"{"do":"big","bytes":6291557}"#,
            type: "Function.ResponseSizeTooLarge",
            message: "Response payload size exceeded maximum allowed payload size (6291556 bytes).",
            hasPrefix: false),
        Case(
            testDescription: "its own error", event: #"{"do":"what"}"#, type: "ValueError",
            message: "what", hasPrefix: false),
        Case(
            testDescription: "fork bomb", event: #"{"do":"fork","count":600}"#,
            type: "Runtime.ExitError", message: "Runtime exited with error: signal: killed"),
    ]

    @Test(arguments: cases, [FunctionConfiguration.Mode.warm, .cold])
    func `a failure is reported to the caller, and the next invocation succeeds`(
        failure: Case, mode: FunctionConfiguration.Mode
    ) throws {
        let kit = try FunctionServiceHarness([FunctionServiceHarness.definition(mode: mode)])
        let result = try kit.invoke(failure.event)
        #expect(result.isFailed)
        expectEqual(result.error.type, failure.type)
        let prefix = failure.hasPrefix ? "RequestId: \(result.requestID) Error: " : ""
        expectEqual(result.error.message, prefix + failure.message)
        try expectEqual(kit.invoke(#"{"a":1}"#).text, #"{"a": 1}"#)
    }

    @Test(arguments: [FunctionConfiguration.Mode.warm, .cold])
    func `a hanging function is ended at the deadline`(mode: FunctionConfiguration.Mode) throws {
        let kit = try FunctionServiceHarness([
            FunctionServiceHarness.definition(mode: mode, timeoutMilliseconds: 3000)
        ])
        let result = try kit.invoke(#"{"do":"sleep","seconds":100}"#, wantsLog: true)
        expectEqual(result.error.type, "Sandbox.Timedout")
        expectEqual(
            result.error.message,
            "RequestId: \(result.requestID) Error: Task timed out after 3.00 seconds")
        let log = String(decoding: result.logTail, as: UTF8.self)
        #expect(log.contains("Z \(result.requestID) Task timed out after 3.00 seconds\n"))
        #expect(log.contains("\tStatus: timeout\n"))
        #expect(eventually { kit.service.records.all.last?.status == .timedOut })
        // On a busy machine a new process may miss the short deadline, too.
        #expect(eventually { (try? kit.invoke("{}").isFailed) == false })
    }

    @Test(arguments: [FunctionConfiguration.Mode.warm, .cold])
    func `excessive output is truncated and only affects its own invocation`(
        mode: FunctionConfiguration.Mode
    ) throws {
        let kit = try FunctionServiceHarness([
            FunctionServiceHarness.definition(mode: mode, timeoutMilliseconds: 1500)
        ])
        let result = try kit.invoke(#"{"do":"flood"}"#, wantsLog: true)
        expectEqual(result.error.type, "Sandbox.Timedout")
        #expect(result.logTail.count <= 4096)
    }

    @Test(arguments: [FunctionConfiguration.Mode.warm, .cold])
    func `an executable that cannot be started is reported`(mode: FunctionConfiguration.Mode) throws
    {
        var missing = FunctionServiceHarness.definition("missing", mode: mode)
        missing.command = ["/nonexistent/bootstrap"]
        var data = FunctionServiceHarness.definition("data", mode: mode)
        data.command = ["/etc/passwd"]
        let kit = try FunctionServiceHarness([missing, data])
        let first = try kit.invoke("{}", function: "missing")
        expectEqual(first.error.type, "Runtime.InvalidEntrypoint")
        expectEqual(
            first.error.message,
            "RequestId: \(first.requestID) Error: Couldn't find valid bootstrap(s): "
                + "[/nonexistent/bootstrap]")
        let second = try kit.invoke("{}", function: "data")
        expectEqual(
            second.error.message,
            "RequestId: \(second.requestID) Error: fork/exec /etc/passwd: permission denied")
    }

    /// As while a linker writes it, or while another process briefly inherits the open descriptor.
    @Test(arguments: [FunctionConfiguration.Mode.warm, .cold])
    func `an executable that is being written is retried`(mode: FunctionConfiguration.Mode)
        throws
    {
        let (kit, folder) = try Self.writableFunction(mode, millisecondsMax: 20_000)
        let writer = open(folder.file("subject"), O_WRONLY | O_CLOEXEC)
        let pending = PendingResult()
        kit.start(#"{"do":"pid"}"#, pending)
        usleep(100_000)
        #expect(!pending.isFilled)
        close(writer)
        expectEqual(pending.wait()?.isFailed, false)
    }

    @Test(arguments: [FunctionConfiguration.Mode.warm, .cold])
    func `an executable that is being written for too long is reported`(
        mode: FunctionConfiguration.Mode
    ) throws {
        let (kit, folder) = try Self.writableFunction(mode, millisecondsMax: 300)
        let path = folder.file("subject")
        let writer = open(path, O_WRONLY | O_CLOEXEC)
        defer { close(writer) }
        let result = try kit.invoke("{}")
        expectEqual(result.error.type, "Runtime.InvalidEntrypoint")
        expectEqual(result.error.message?.hasSuffix(" fork/exec \(path): text file busy"), true)
    }

    /// A function whose executable is open for writing.
    private static func writableFunction(
        _ mode: FunctionConfiguration.Mode, millisecondsMax: Int
    ) throws -> (kit: FunctionServiceHarness, folder: TemporaryFolder) {
        let folder = try TemporaryFolder()
        try folder.replace("subject", withCommand: FunctionServiceHarness.command)
        var definition = FunctionServiceHarness.definition(
            mode: mode, timeoutMilliseconds: millisecondsMax)
        definition.command = [folder.file("subject")]
        let settings = FunctionSettings(initMillisecondsMax: millisecondsMax)
        return (try FunctionServiceHarness([definition], settings: settings), folder)
    }

    @Test func `invalid and closed output only affect the function's own invocation`() throws {
        let kit = try FunctionServiceHarness([FunctionServiceHarness.definition()])
        try expectEqual(
            kit.invoke(#"{"do":"garbage"}"#).outcome,
            .answered([0xFF, 0x00] + Array(" not json".utf8)))
        try expectEqual(kit.invoke(#"{"do":"close"}"#).text, #""closed""#)
        try expectEqual(kit.invoke(#"{"n":2}"#).text, #"{"n": 2}"#)
        let cold = try FunctionServiceHarness([FunctionServiceHarness.definition(mode: .cold)])
        try expectEqual(
            cold.invoke(#"{"do":"close"}"#).error.message?
                .hasSuffix("Runtime exited without providing a reason"), true)
    }

    @Test(arguments: [
        ("report", "Runtime.No", "no"),
        ("exit", "Runtime.ExitError", "Runtime exited with error: exit status 42"),
        ("hang", "Sandbox.Timedout", "Task timed out after 0.50 seconds"),
    ])
    func `a failed start fails the request that waits for it`(
        how: String, type: String, message: String
    ) throws {
        var settings = FunctionSettings()
        if how == "hang" { settings.initMillisecondsMax = 500 }
        let kit = try FunctionServiceHarness(
            [FunctionServiceHarness.definition(environment: [("FAIL_INIT", how)])],
            settings: settings)
        for _ in 0..<2 {
            let result = try kit.invoke("{}")
            expectEqual(result.error.type, type)
            expectEqual(result.error.message?.hasSuffix(message), true)
        }
    }

    @Test func `killing a process only affects its own invocation`() throws {
        let kit = try FunctionServiceHarness([FunctionServiceHarness.definition()])
        let idle = try #require(Int32(try kit.invoke(#"{"do":"pid"}"#).text))
        kill(idle, SIGKILL)
        // Its end may be noticed before or after this invocation arrives.
        let next = try kit.invoke(#"{"do":"pid"}"#)
        #expect(next.text != String(idle))
        try expectEqual(kit.invoke("{}").isFailed, false)
    }
}

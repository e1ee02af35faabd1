import EmulatorLambda
import Foundation
import TestSupport

/// The result of each kind of failure, in both modes of dispatch.
@Suite("Failing functions") struct FunctionFailureTests {
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
}

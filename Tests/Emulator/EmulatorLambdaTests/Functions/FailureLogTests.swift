import EmulatorLambda
import Foundation
import TestSupport

/// The log of a function that does not answer.
@Suite("Logs of failing functions") struct FailureLogTests {
    private final class Log: Sendable {
        private let bytes = Mutex<[UInt8]>([])

        var sink: FunctionLogSink {
            FunctionLogSink { [self] _, _, more in bytes.withLock { $0 += more } }
        }

        var text: String { String(decoding: bytes.withLock { $0 }, as: UTF8.self) }
    }

    private func failed(
        _ definition: FunctionConfiguration, _ settings: FunctionSettings = FunctionSettings()
    ) throws -> (id: String, log: String, tail: String) {
        let log = Log()
        let kit = try FunctionServiceHarness([definition], settings: settings, sink: log.sink)
        let result = try kit.invoke("{}", function: definition.name, wantsLog: true)
        #expect(result.isFailed)
        #expect(eventually { log.text.contains("REPORT") })
        return (result.requestID, log.text, String(decoding: result.logTail, as: UTF8.self))
    }

    private static func shell(
        _ script: String, _ mode: FunctionConfiguration.Mode
    ) -> FunctionConfiguration {
        var definition = FunctionServiceHarness.definition(mode: mode)
        definition.command = ["/bin/sh", "-c", script]
        return definition
    }

    @Test(arguments: [FunctionConfiguration.Mode.warm, .cold, .coldOnRuntimeAPI])
    func `the log has output and exit status of a process that dies at start`(
        mode: FunctionConfiguration.Mode
    ) throws {
        let (id, log, tail) = try failed(Self.shell("echo no settings >&2; exit 7", mode))
        let end = """
            RequestId: \(id) Error: Runtime exited with error: exit status 7
            Runtime.ExitError
            END RequestId: \(id)
            REPORT RequestId: \(id)\t
            """
        for text in [log, tail] {
            #expect(text.contains("START RequestId: \(id) Version: $LATEST\n"), "\(text)")
            #expect(text.contains("no settings\n"), "\(text)")
            #expect(text.contains(end), "\(text)")
            #expect(text.hasSuffix("\tStatus: error\tError Type: Runtime.ExitError\n"), "\(text)")
        }
        expectEqual(log.components(separatedBy: "START").count, 2)
    }

    @Test(arguments: [FunctionConfiguration.Mode.warm, .cold])
    func `the log has all expected paths of a missing executable`(
        mode: FunctionConfiguration.Mode
    ) throws {
        var definition = FunctionServiceHarness.definition(mode: mode)
        definition.command = ["/nonexistent/bootstrap"]
        definition.candidates = ["/nonexistent/bootstrap", "/nonexistent/handler"]
        let (id, log, _) = try failed(definition)
        #expect(
            log.contains(
                "RequestId: \(id) Error: Couldn't find valid bootstrap(s): "
                    + "[/nonexistent/bootstrap /nonexistent/handler]\nRuntime.InvalidEntrypoint\n"))
    }

    @Test func `an error that a runtime reports without output is logged`() throws {
        let (_, log, _) = try failed(
            FunctionServiceHarness.definition(environment: [("FAIL_INIT", "report")]))
        #expect(log.contains("[ERROR] Runtime.No: no\n"), "\(log)")
    }
}

import EmulatorLambda
import Foundation
import TestSupport

/// Cold functions that support only the Runtime API, like AWS's own runtimes.
@Suite("Cold functions on the Runtime API") struct ColdRuntimeAPITests {
    /// Fails without AWS_LAMBDA_RUNTIME_API before it reads anything, as awslambdaric does.
    private static func ordinary(reserved: Int? = nil) -> FunctionConfiguration {
        var definition = FunctionServiceHarness.definition(
            mode: .cold, reservedConcurrency: reserved)
        let script = #"test -n "$AWS_LAMBDA_RUNTIME_API" || exit 1; exec "$0" "$@""#
        definition.command.insert(contentsOf: ["/bin/sh", "-c", script], at: 0)
        return definition
    }

    @Test func `each event has its own process`() throws {
        let kit = try FunctionServiceHarness([Self.ordinary()])
        let processes = try (0..<4).map { _ in try kit.invoke(#"{"do":"pid"}"#).text }
        #expect(processes.allSatisfy { Int($0) != nil }, "\(processes)")
        expectEqual(Set(processes).count, 4)
        #expect(eventually { processes.allSatisfy { kill(Int32($0) ?? 0, 0) != 0 } })
    }

    @Test func `concurrent events have concurrent processes`() throws {
        let folder = try TemporaryFolder()
        let kit = try FunctionServiceHarness([Self.ordinary()])
        try expectEqual(kit.invoke("{}").text, "{}")
        let names = (0..<5).map { folder.file("begun\($0)") }
        let pending = names.map { name in
            let pending = PendingResult()
            let others = names.map { "\"\($0)\"" }.joined(separator: ",")
            kit.start(#"{"do":"meet","begun":"\#(name)","others":[\#(others)]}"#, pending)
            return pending
        }
        let processes = pending.compactMap { $0.wait()?.text }
        expectEqual(Set(processes).count, 5, "\(processes)")
    }

    @Test func `failures are the same as of any other function`() throws {
        let kit = try FunctionServiceHarness([Self.ordinary(reserved: 1)])
        try expectEqual(kit.invoke(#"{"do":"what"}"#).error.type, "ValueError")
        let exit = try kit.invoke(#"{"do":"exit","status":9}"#)
        expectEqual(exit.error.message?.hasSuffix("exit status 9"), true)
        try expectEqual(kit.invoke(#"{"a":1}"#).text, #"{"a": 1}"#)
    }

    /// It has read its event, so it may already have had effects.
    @Test func `a function that read its event is not run a second time`() throws {
        let folder = try TemporaryFolder()
        var definition = FunctionServiceHarness.definition(mode: .cold)
        definition.command = [
            "/bin/sh", "-c", #"read -r event; echo run >> "$0"; exit 1"#, folder.file("runs"),
        ]
        let kit = try FunctionServiceHarness([definition])
        #expect(try kit.invoke("{}\n").isFailed)
        expectEqual(String(decoding: try folder.read("runs"), as: UTF8.self), "run\n")
    }

    /// The executable may have been replaced by then.
    @Test func `a function that fails in both modes is retried in both`() throws {
        let folder = try TemporaryFolder()
        try folder.replace("subject", withScript: "exit 1")
        var definition = FunctionServiceHarness.definition(mode: .cold)
        definition.command = [folder.file("subject")]
        let kit = try FunctionServiceHarness([definition])
        try expectEqual(kit.invoke("{}").error.message?.hasSuffix("exit status 1"), true)
        try folder.replace("subject", withScript: "cat")
        try expectEqual(kit.invoke(#"{"b":2}"#).text, #"{"b":2}"#)
    }
}

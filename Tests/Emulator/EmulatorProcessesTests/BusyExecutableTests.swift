import EmulatorProcesses
import Glibc
import TestSupport
import Testing

/// An executable that a linker still writes cannot be started yet, and soon can.
@Suite("Executables that are being written") struct BusyExecutableTests {
    /// A program in a folder of its own, open for writing until `finish`.
    private final class Program {
        private let folder: TemporaryFolder
        private let writer: Int32
        var path: String { folder.file("program") }

        init() throws {
            folder = try TemporaryFolder()
            try folder.replace("program", withScript: "echo ran")
            writer = open(folder.file("program"), O_WRONLY | O_CLOEXEC)
            try #require(writer >= 0)
        }

        func finish() { close(writer) }
    }

    @Test func `are waited for`() throws {
        let supervisor = try ProcessSupervisor()
        let program = try Program()
        let outcome = Outcome()
        _ = supervisor.start(outcome.plan([program.path]))
        // Others are not kept waiting.
        let other = Outcome()
        _ = supervisor.start(other.shell("echo other"))
        #expect(other.end()?.reason == .status(0))
        #expect(outcome.ends == 0)
        program.finish()
        #expect(outcome.end()?.reason == .status(0))
        #expect(outcome.output == "ran\n")
        #expect(outcome.ends == 1)
    }

    @Test func `are given up in the end`() throws {
        let supervisor = try ProcessSupervisor()
        let program = try Program()
        defer { program.finish() }
        let outcome = Outcome()
        let process = supervisor.start(
            outcome.plan([program.path], limits: ProcessLimits(startMillisecondsMax: 300)))
        #expect(eventually { process.delay == ETXTBSY })
        #expect(outcome.end()?.reason == .notStarted(code: ETXTBSY))
        #expect(outcome.ends == 1)
    }

    @Test func `are not started any more for what was killed meanwhile`() throws {
        let supervisor = try ProcessSupervisor()
        let program = try Program()
        let outcome = Outcome()
        let process = supervisor.start(outcome.plan([program.path]))
        process.kill()
        program.finish()
        #expect(outcome.end()?.reason == .notStarted(code: ECANCELED))
        #expect(outcome.output == "")
    }

    @Test func `do not keep the keeper from its end`() throws {
        let supervisor = try ProcessSupervisor()
        let program = try Program()
        defer { program.finish() }
        let outcome = Outcome()
        _ = supervisor.start(outcome.plan([program.path]))
        supervisor.stop()
        #expect(outcome.end()?.reason == .notStarted(code: ECANCELED))
        #expect(outcome.ends == 1)
    }
}

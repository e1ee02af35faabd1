import EmulatorLambda
import Glibc
import TestSupport

/// An executable that a linker is still writing cannot be started yet (ETXTBSY).
@Suite("Executables that are being written") struct BusyExecutableTests {
    /// A program in its own directory, open for writing until `finish`.
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

    @Test func `a start waits until the file is complete`() throws {
        let supervisor = try ProcessSupervisor()
        let program = try Program()
        let outcome = Outcome()
        _ = supervisor.start(outcome.plan([program.path]))
        // Other processes are not delayed.
        let other = Outcome()
        _ = supervisor.start(other.shell("echo other"))
        expectEqual(other.end()?.reason, .status(0))
        expectEqual(outcome.ends, 0)
        program.finish()
        expectEqual(outcome.end()?.reason, .status(0))
        expectEqual(outcome.output, "ran\n")
        expectEqual(outcome.ends, 1)
    }

    @Test func `a start times out eventually`() throws {
        let supervisor = try ProcessSupervisor()
        let program = try Program()
        defer { program.finish() }
        let outcome = Outcome()
        let process = supervisor.start(
            outcome.plan([program.path], limits: ProcessLimits(startMillisecondsMax: 2000)))
        #expect(eventually { process.delay == ETXTBSY })
        expectEqual(outcome.end()?.reason, .notStarted(code: ETXTBSY))
        expectEqual(outcome.ends, 1)
    }

    @Test func `a cancelled start does not happen later`() throws {
        let supervisor = try ProcessSupervisor()
        let program = try Program()
        let outcome = Outcome()
        let process = supervisor.start(outcome.plan([program.path]))
        process.kill()
        program.finish()
        expectEqual(outcome.end()?.reason, .notStarted(code: ECANCELED))
        expectEqual(outcome.output, "")
    }

    @Test func `a waiting start does not delay stopping the supervisor`() throws {
        let supervisor = try ProcessSupervisor()
        let program = try Program()
        defer { program.finish() }
        let outcome = Outcome()
        _ = supervisor.start(outcome.plan([program.path]))
        supervisor.stop()
        expectEqual(outcome.end()?.reason, .notStarted(code: ECANCELED))
        expectEqual(outcome.ends, 1)
    }
}

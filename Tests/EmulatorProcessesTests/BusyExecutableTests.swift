import EmulatorProcesses
import Glibc
import Testing

/// An executable that a linker still writes cannot be started yet, and soon can.
@Suite("Executables that are being written") struct BusyExecutableTests {
    /// A program in a folder of its own, open for writing until `finish`.
    private final class Program {
        let path: String
        private let folder: String
        private var descriptor: Int32

        init() throws {
            var name = Array("/tmp/latchkey-test-XXXXXX".utf8CString)
            folder = String(cString: try #require(mkdtemp(&name)))
            path = "\(folder)/program"
            descriptor = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0o755)
            let script = "#!/bin/sh\necho ran\n"
            try #require(write(descriptor, script, script.utf8.count) == script.utf8.count)
        }

        func finish() {
            close(descriptor)
            descriptor = -1
        }

        deinit {
            if descriptor >= 0 { close(descriptor) }
            unlink(path)
            rmdir(folder)
        }
    }

    @Test func `are waited for`() throws {
        let keeper = try ProcessKeeper()
        let program = try Program()
        let outcome = Outcome()
        _ = keeper.start(outcome.plan([program.path]))
        // Others are not kept waiting.
        let other = Outcome()
        _ = keeper.start(other.shell("echo other"))
        #expect(other.end()?.reason == .status(0))
        #expect(outcome.ends == 0)
        program.finish()
        #expect(outcome.end()?.reason == .status(0))
        #expect(outcome.output == "ran\n")
        #expect(outcome.ends == 1)
    }

    @Test func `are given up in the end`() throws {
        let keeper = try ProcessKeeper()
        let program = try Program()
        let outcome = Outcome()
        let process = keeper.start(
            outcome.plan([program.path], limits: ProcessLimits(startMillisecondsMax: 300)))
        #expect(eventually { process.delay == ETXTBSY })
        #expect(outcome.end()?.reason == .notStarted(code: ETXTBSY))
        #expect(outcome.ends == 1)
    }

    @Test func `are not started any more for what was killed meanwhile`() throws {
        let keeper = try ProcessKeeper()
        let program = try Program()
        let outcome = Outcome()
        let process = keeper.start(outcome.plan([program.path]))
        process.kill()
        program.finish()
        #expect(outcome.end()?.reason == .notStarted(code: ECANCELED))
        #expect(outcome.output == "")
    }

    @Test func `do not keep the keeper from its end`() throws {
        let keeper = try ProcessKeeper()
        let program = try Program()
        let outcome = Outcome()
        _ = keeper.start(outcome.plan([program.path]))
        keeper.stop()
        #expect(outcome.end()?.reason == .notStarted(code: ECANCELED))
        #expect(outcome.ends == 1)
    }
}

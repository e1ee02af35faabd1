import CPosix
import Foundation
import Glibc
import TestSupport

@Suite("Process hardening", .serialized) struct ProcessHardeningTests {
    @Test func `the level of hardening is full unless another is set`() {
        expectEqual(ProcessHardening.level(Environment([])), .full)
        for level in ProcessHardening.Level.allCases {
            let environment = Environment([("PROCESS_HARDENING", level.rawValue)])
            expectEqual(ProcessHardening.level(environment), level)
        }
        expectEqual(ProcessHardening.level(Environment([("PROCESS_HARDENING", "on")])), nil)
    }

    @Test(arguments: [
        ("PROCESS_HARDENING", "none"), ("PROCESS_MEMORY_MIB_MAX", "63"),
        ("PROCESS_MEMORY_MIB_MAX", "+64"), ("PROCESS_MEMORY_MIB_MAX", "1048577"),
    ])
    func `a wrong setting is reported with its rule`(name: String, value: String) {
        let run = HostRun(variables: [(name, value)])
        expectEqual(run.host(), 1)
        #expect(run.errors.contains("\(name) must be "))
    }

    @Test func `a hardened process can start threads, but no other program`() async {
        await #expect(processExitsWith: .success) {
            ProcessHardening.apply(Environment([]))
            var child = pid_t()
            var arguments: [UnsafeMutablePointer<CChar>?] = [strdup("/bin/true"), nil]
            guard posix_spawn(&child, "/bin/true", nil, nil, &arguments, nil) == EPERM,
                execv("/bin/true", &arguments) == -1, errno == EPERM
            else { exit(1) }
            var thread = pthread_t()
            guard pthread_create(&thread, nil, { _ in nil }, nil) == 0,
                pthread_join(thread, nil) == 0
            else { exit(2) }
            exit(0)
        }
    }

    @Test func `a hardened process leaves no core dump and hides its memory`() async {
        await #expect(processExitsWith: .success) {
            ProcessHardening.apply(Environment([("PROCESS_HARDENING", "unfiltered")]))
            var limit = rlimit()
            guard getrlimit(__rlimit_resource_t(RLIMIT_CORE.rawValue), &limit) == 0,
                limit.rlim_cur == 0, limit.rlim_max == 0
            else { exit(1) }
            guard latchkey_hides_memory() == 1 else { exit(2) }
            exit(ownStatus("NoNewPrivs") == "1" && ownStatus("Seccomp") == "0" ? 0 : 3)
        }
    }

    @Test func `with the value off, nothing is restricted`() async {
        await #expect(processExitsWith: .success) {
            let before = latchkey_hides_memory()
            ProcessHardening.apply(Environment([("PROCESS_HARDENING", "off")]))
            exit(latchkey_hides_memory() == before && ownStatus("NoNewPrivs") == "0" ? 0 : 1)
        }
    }

    @Test func `the memory limit is enforced`() async {
        await #expect(processExitsWith: .success) {
            ProcessHardening.apply(
                Environment([("PROCESS_HARDENING", "off"), ("PROCESS_MEMORY_MIB_MAX", "256")]))
            let large = mmap(
                nil, 512 << 20, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)
            exit(large == MAP_FAILED ? 0 : 1)
        }
    }
}

/// A line of this thread's status: privileges and filters belong to threads.
private func ownStatus(_ name: String) -> String? {
    let text = try? String(contentsOfFile: "/proc/thread-self/status", encoding: .utf8)
    return text?.split(separator: "\n").first { $0.hasPrefix("\(name):") }
        .map { $0.dropFirst(name.count + 1).trimmingCharacters(in: .whitespaces) }
}

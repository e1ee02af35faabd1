internal import CPosix
internal import Glibc

/// A shell process that kills the running process groups when this process ends for any reason,
/// which it notices by the end of its input.
///
/// `PR_SET_PDEATHSIG` alone is not enough: it kills the child but not the child's descendants. A
/// descendant that has left its group is recognised by a variable in its inherited environment.
struct ProcessGroupWatchdog {
    private let pipe: Int32
    private let pid: Int32

    /// Reads lines of `+ GROUP` and `- GROUP`. It ignores the signals that end a session, and runs
    /// in its own session, so that it outlives this process.
    private static let script = #"""
        trap '' HUP INT QUIT TERM
        groups=' '
        while read -r sign group; do
            case $sign in
            +) groups="$groups$group " ;;
            -) groups="${groups%% "$group" *} ${groups#* "$group" }" ;;
            esac
        done
        for group in $groups; do kill -s KILL -- "-$group" 2>/dev/null; done
        rounds=100
        while [ -n "$1" ] && [ $rounds -gt 0 ]; do
            # Its status tells of those that cannot be read, too.
            strays=$(grep -slF -e "$1" /proc/[0-9]*/environ)
            [ -n "$strays" ] || break
            for stray in $strays; do
                stray=${stray#/proc/}
                kill -s KILL "${stray%/environ}" 2>/dev/null
            done
            rounds=$((rounds - 1))
        done
        """#

    /// `mark` is an environment entry of every child; nil if descendants are not to be killed.
    init?(mark: String?) {
        var input: Int32 = -1
        var pipe: Int32 = -1
        guard latchkey_pipe(&input, &pipe) == 0 else { return nil }
        defer { close(input) }
        let nothing = open("/dev/null", O_RDWR | O_CLOEXEC)
        let silent = fcntl(nothing, F_DUPFD_CLOEXEC, 3)
        close(nothing)
        defer { close(silent) }
        let arguments = CStrings(
            ["/bin/sh", "-c", Self.script, "latchkey-watchdog", mark ?? ""])
        let environment = CStrings(["PATH=/usr/bin:/bin"])
        let result = "/bin/sh".withCString { path in
            var child = latchkey_child(
                path: path, arguments: arguments.pointers, environment: environment.pointers,
                directory: nil, input: input, output: silent, error: silent, data_bytes_max: 0,
                file_bytes_max: 0, open_files_max: 0, user_processes_max: 0,
                dies_with_parent: 0)
            return latchkey_spawn(&child)
        }
        guard result > 0 else {
            close(pipe)
            return nil
        }
        pid = result
        self.pipe = pipe
    }

    func watch(_ group: Int32) { say("+ \(group)\n") }
    func forget(_ group: Int32) { say("- \(group)\n") }

    /// Ends the watchdog, which kills the groups that are still registered.
    func dismiss() {
        close(pipe)
        var status: Int32 = 0
        var signal: Int32 = 0
        var bytes: Int64 = 0
        while latchkey_wait(pid, &status, &signal, &bytes) == 0 { usleep(1000) }
    }

    private func say(_ line: String) {
        var line = line
        line.withUTF8 { bytes in
            // There are at most PIPE_BUF bytes, so the write is atomic. Failures are ignored: a
            // watchdog that was killed must not stop the emulator.
            while write(pipe, bytes.baseAddress, bytes.count) < 0 && errno == EINTR {}
        }
    }
}

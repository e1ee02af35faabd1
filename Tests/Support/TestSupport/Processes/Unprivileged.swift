internal import Glibc

/// Runs a command without root's capabilities, because root ignores file permissions.
package enum Unprivileged {
    package static func command(_ command: Command) -> Command {
        guard geteuid() == 0 else { return command }
        var unprivileged = command
        unprivileged.path = "/usr/bin/setpriv"
        unprivileged.arguments =
            ["--bounding-set=-dac_override,-dac_read_search", command.path] + command.arguments
        return unprivileged
    }

    /// Containers may not allow it.
    package static var isPossible: Bool {
        guard geteuid() == 0 else { return true }
        let result = try? ChildProcess.run(command(Command("/bin/true")))
        return result?.end == .exit(0)
    }
}

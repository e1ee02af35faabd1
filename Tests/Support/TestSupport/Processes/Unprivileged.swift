internal import Glibc

/// To root no folder is read-only, unless it gives up what makes it root.
package enum Unprivileged {
    package static func command(_ command: Command) -> Command {
        guard geteuid() == 0 else { return command }
        var unprivileged = command
        unprivileged.path = "/usr/bin/setpriv"
        unprivileged.arguments =
            ["--bounding-set=-dac_override,-dac_read_search", command.path] + command.arguments
        return unprivileged
    }

    /// A container may not let it.
    package static var isPossible: Bool {
        guard geteuid() == 0 else { return true }
        let result = try? ChildProcess.run(command(Command("/bin/true")))
        return result?.end == .exit(0)
    }
}

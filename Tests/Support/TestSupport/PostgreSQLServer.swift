internal import Foundation
internal import Synchronization

/// A PostgreSQL server for tests, in a folder of its own, on a Unix socket only.
///
/// It is ended with the last reference to it, and when the test process ends for any reason.
package final class PostgreSQLServer: Sendable {
    /// The superuser, whom the server trusts.
    package static let user = "latchkey"
    package static let database = "postgres"

    /// The directory of the socket.
    package let folder: String
    private let port: String
    private let start: Command
    private let process: Mutex<ChildProcess>
    /// Ends the server and removes its folder when its standard input is closed; we hold the other
    /// end.
    private let supervisor: ChildProcess

    private static let started = Result { try PostgreSQLServer() }

    /// One for the whole test process. Fails instead of skipping if PostgreSQL is missing, because
    /// an untested backend is not a passed test.
    package static func shared() throws -> PostgreSQLServer { try started.get() }

    /// - Parameters:
    ///   - settings: the lines of `postgresql.conf`.
    ///   - files: written into `folder`, to which settings refer as `{folder}`.
    package init(_ settings: [String: String] = [:], files: [String: String] = [:]) throws {
        let programs = try Self.programs()
        let folder = try Self.newFolder()
        self.folder = folder
        // Started first, so that the folder is removed in any case.
        var supervision = Command(
            "/bin/sh",
            [
                "-c",
                #"""
                read -r line
                pid=$(head -n 1 "$0/data/postmaster.pid" 2>/dev/null)
                [ -z "$pid" ] || kill -s QUIT "$pid"
                while [ -n "$pid" ] && kill -s 0 "$pid" 2>/dev/null; do sleep 0.05; done
                rm -rf "$0"
                """#, folder,
            ])
        supervision.environment = Self.environment
        supervision.input = .stream
        supervisor = try ChildProcess(supervision)
        let created = try ChildProcess.run(
            Self.unprivileged(
                "\(programs)/initdb",
                [
                    "--pgdata=\(folder)/data", "--username=\(Self.user)", "--auth=trust",
                    "--encoding=UTF8", "--locale=C", "--no-sync", "--no-instructions",
                ]))
        guard created.end == .exit(0) else {
            throw PostgreSQLServerFailure.notStarted(created.errorText)
        }
        for (name, text) in files { try Self.write(text, to: "\(folder)/\(name)") }
        let defaults = [
            "listen_addresses": "", "unix_socket_directories": folder,
            // Tests kill processes, never the machine.
            "fsync": "off", "max_connections": "300", "shared_buffers": "32MB",
            "log_min_messages": "warning",
        ]
        let all = defaults.merging(settings) { $1 }.sorted { $0.key < $1.key }
        port = settings["port"] ?? "5432"
        start = Self.unprivileged(
            "\(programs)/postgres",
            ["-D", "\(folder)/data"]
                + all.flatMap { setting in
                    let value = setting.value.replacing("{folder}", with: folder)
                    return ["-c", "\(setting.key)=\(value)"]
                })
        process = Mutex(try Self.started(start, socket: "\(folder)/.s.PGSQL.\(port)"))
    }

    private static func started(_ command: Command, socket: String) throws -> ChildProcess {
        let process = try ChildProcess(command)
        guard
            process.waits(for: {
                FileManager.default.fileExists(atPath: socket)
                    && process.textSoFar.error.contains("ready to accept connections")
            })
        else { throw PostgreSQLServerFailure.notStarted(process.textSoFar.error) }
        return process
    }

    /// Ends the server's main process with SIGKILL, and waits for its other processes, which then
    /// end by themselves.
    package func kill() {
        let process = process.withLock { $0 }
        // Stopped first, so that it starts no other process after they were counted.
        process.kill(SIGSTOP)
        let others = Descendants(of: process.pid)
        process.kill(SIGKILL)
        _ = process.wait()
        _ = others.waitUntilGone()
    }

    /// Starts it again with its data.
    package func restart() throws {
        let restarted = try Self.started(start, socket: "\(folder)/.s.PGSQL.\(port)")
        process.withLock { $0 = restarted }
    }

    deinit {
        supervisor.endInput()
        _ = supervisor.wait()
    }

    /// The value of `STORE` for the default table.
    package var url: String { url() }

    func url(through other: String? = nil) -> String {
        "postgres://\(Self.user)@/\(Self.database)?host=\(other ?? folder)"
    }

    /// The value of `STORE` for a new table, which does not exist yet.
    package func newURL() -> String { url(table: Self.newTable()) }

    /// - Parameter other: the directory of another socket that leads to this server.
    package func url(table: String, through other: String? = nil) -> String {
        url(through: other) + "&table=\(table)"
    }

    package static func newTable() -> String {
        "t" + UUID().uuidString.lowercased().filter { $0 != "-" }
    }

    /// Runs statements with `psql`; returns its output, a line for each row.
    package func run(_ sql: String) throws -> String {
        var command = Command(
            "\(try Self.programs())/psql",
            [
                "--no-psqlrc", "--quiet", "--tuples-only", "--no-align", "--host=\(folder)",
                "--port=\(port)", "--username=\(Self.user)", "--dbname=\(Self.database)",
                "--set=ON_ERROR_STOP=1", "--command=\(sql)",
            ])
        command.environment = Self.environment
        let result = try ChildProcess.run(command)
        guard result.end == .exit(0) else {
            throw PostgreSQLServerFailure.refused(result.errorText)
        }
        return result.text
    }

    /// The server's log.
    package var log: String { process.withLock { $0.textSoFar.error } }

    // MARK: The programs

    private static let environment = [("PATH", "/usr/local/bin:/usr/bin:/bin"), ("LC_ALL", "C")]
    /// Debian's, created by the package of the server.
    private static let systemUser = "postgres"

    /// The folder of the newest version that Debian has installed.
    private static func programs() throws -> String {
        let root = "/usr/lib/postgresql"
        let versions = (try? FileManager.default.contentsOfDirectory(atPath: root)) ?? []
        let newest = versions.compactMap { Int($0) }.sorted().last {
            FileManager.default.isExecutableFile(atPath: "\(root)/\($0)/bin/postgres")
        }
        guard let newest else { throw PostgreSQLServerFailure.notInstalled }
        return "\(root)/\(newest)/bin"
    }

    /// PostgreSQL refuses to run as root.
    static func unprivileged(_ path: String, _ arguments: [String]) -> Command {
        var command = Command(path, arguments)
        if geteuid() == 0 {
            command.path = "/usr/bin/setpriv"
            command.arguments =
                [
                    "--reuid=\(systemUser)", "--regid=\(systemUser)", "--clear-groups", "--", path,
                ] + arguments
        }
        command.environment = environment
        return command
    }

    /// Readable only by the server's user, which it requires of its private key.
    private static func write(_ text: String, to path: String) throws {
        guard
            FileManager.default.createFile(
                atPath: path, contents: Data(text.utf8), attributes: [.posixPermissions: 0o600])
        else { throw PostgreSQLServerFailure.notStarted("cannot write \(path)") }
        try own(path)
    }

    private static func own(_ path: String) throws {
        guard geteuid() == 0 else { return }
        guard let user = getpwnam(systemUser) else { throw PostgreSQLServerFailure.notInstalled }
        guard chown(path, user.pointee.pw_uid, user.pointee.pw_gid) == 0 else {
            throw SpawnFailure(call: "chown", code: errno)
        }
    }

    /// Short enough for the name of a socket in it. Other users may reach the socket, which
    /// `mkdtemp` does not let them.
    static func newFolder() throws -> String {
        var template = Array("/tmp/latchkey-postgres-XXXXXX".utf8CString)
        guard mkdtemp(&template) != nil else { throw SpawnFailure(call: "mkdtemp", code: errno) }
        let folder = String(
            decoding: template.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
        guard chmod(folder, 0o755) == 0 else { throw SpawnFailure(call: "chmod", code: errno) }
        try own(folder)
        return folder
    }
}

package enum PostgreSQLServerFailure: Error, CustomStringConvertible {
    case notInstalled
    case poolNotInstalled
    case notStarted(String)
    case refused(String)

    package var description: String {
        switch self {
        case .notInstalled: "no PostgreSQL server: run `scripts/install-packages test`"
        case .poolNotInstalled: "no PgBouncer: run `scripts/install-packages test`"
        case .notStarted(let log): "PostgreSQL has not started:\n\(log)"
        case .refused(let message): "PostgreSQL refuses: \(message)"
        }
    }
}

internal import Foundation

/// A pool in front of a PostgreSQL server, on a Unix socket, in transaction mode: each transaction
/// may use a different one of a few server processes.
///
/// It is ended with the last reference to it, and when the test process ends for any reason.
package final class PgBouncer: Sendable {
    /// The directory of the socket.
    package let folder: String
    package let server: PostgreSQLServer
    private let process: ChildProcess

    private static let program = "/usr/sbin/pgbouncer"
    private static let started = Result { try PgBouncer(to: PostgreSQLServer.shared()) }

    /// In front of the shared server. Fails instead of skipping if PgBouncer is missing, because an
    /// untested pool is not a passed test.
    package static func shared() throws -> PgBouncer { try started.get() }

    package init(to server: PostgreSQLServer, processes: Int = 4) throws {
        guard FileManager.default.isExecutableFile(atPath: Self.program) else {
            throw PostgreSQLServerFailure.poolNotInstalled
        }
        self.server = server
        folder = try PostgreSQLServer.newFolder()
        // `any` checks no password, and the user is the database's user.
        let settings = """
            [databases]
            * = host=\(server.folder) user=\(PostgreSQLServer.user)
            [pgbouncer]
            listen_addr =
            unix_socket_dir = \(folder)
            listen_port = 5432
            auth_type = any
            pool_mode = transaction
            default_pool_size = \(processes)
            max_client_conn = 500
            """
        let file = "\(folder)/pgbouncer.ini"
        try Data(settings.utf8).write(to: URL(filePath: file))
        guard chmod(file, 0o644) == 0 else { throw SpawnFailure(call: "chmod", code: errno) }
        let command = PostgreSQLServer.unprivileged(Self.program, [file])
        var leashed = Command(
            "/bin/sh",
            [
                "-c",
                #"""
                folder=$1; shift
                "$@" & pid=$!
                read -r line
                kill -s TERM "$pid"
                wait "$pid"
                rm -rf "$folder"
                """#, "pgbouncer", folder, command.path,
            ] + command.arguments)
        leashed.environment = command.environment
        leashed.input = .stream
        process = try ChildProcess(leashed)
        let socket = "\(folder)/.s.PGSQL.5432"
        let running = process
        guard
            process.waits(for: {
                FileManager.default.fileExists(atPath: socket)
                    && running.textSoFar.error.contains("process up")
            })
        else { throw PostgreSQLServerFailure.notStarted(process.textSoFar.error) }
    }

    deinit {
        process.endInput()
        _ = process.wait()
    }

    /// The value of `STORE` for the default table.
    package var url: String { server.url(through: folder) }

    /// The value of `STORE` for a table.
    package func url(table: String) -> String { server.url(table: table, through: folder) }
}

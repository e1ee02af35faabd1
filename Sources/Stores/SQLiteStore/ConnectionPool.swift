internal import KeyValueStore
internal import Synchronization

/// One connection to the file for each thread that uses it at the same time. A process with one
/// thread has one connection.
final class ConnectionPool: Sendable {
    enum Use { case reading, writing }

    private struct State {
        var idle: [Connection]
        /// The connection that wrote last. It is the first choice, because its cache has the pages
        /// of the last commit, and any other connection would have to read them again.
        weak var writer: Connection?
    }

    private let path: String
    private let lockWaitMillisecondsMax: Int
    private let state: Mutex<State>
    /// The write-ahead log.
    let log: LogFile

    init(
        path: String, lockWaitMillisecondsMax: Int, sync: @escaping @Sendable (Int32) -> Int32
    ) throws(StoreFailure) {
        self.path = path
        self.lockWaitMillisecondsMax = lockWaitMillisecondsMax
        let first = try Connection(
            path: path, lockWaitMillisecondsMax: lockWaitMillisecondsMax, isFirst: true)
        log = LogFile(path: first.logPath, sync: sync)
        state = Mutex(State(idle: [first]))
    }

    func withConnection<Result>(
        for use: Use, _ body: (Connection) throws(StoreFailure) -> Result
    ) throws(StoreFailure) -> Result {
        let connection = try take(for: use)
        defer { state.withLock { $0.idle.append(connection) } }
        return try body(connection)
    }

    private func take(for use: Use) throws(StoreFailure) -> Connection {
        let idle = state.withLock { state in
            state.idle.firstIndex { $0 === state.writer }.map { state.idle.remove(at: $0) }
                ?? state.idle.popLast()
        }
        let connection: Connection
        if let idle {
            connection = idle
        } else {
            connection = try Connection(
                path: path, lockWaitMillisecondsMax: lockWaitMillisecondsMax, isFirst: false)
        }
        if use == .writing { state.withLock { $0.writer = connection } }
        return connection
    }
}

internal import KeyValueStore
internal import Synchronization

/// One connection to the file for each thread that uses it at the same time. A process with one
/// thread has one connection.
final class ConnectionPool: Sendable {
    private let path: String
    private let lockWaitMillisecondsMax: Int
    private let idle: Mutex<[Connection]>

    init(path: String, lockWaitMillisecondsMax: Int) throws(StoreFailure) {
        self.path = path
        self.lockWaitMillisecondsMax = lockWaitMillisecondsMax
        let first = try Connection(path: path, lockWaitMillisecondsMax: lockWaitMillisecondsMax)
        idle = Mutex([first])
    }

    func withConnection<Result>(
        _ use: (Connection) throws(StoreFailure) -> Result
    ) throws(StoreFailure) -> Result {
        let connection = try take()
        defer { idle.withLock { $0.append(connection) } }
        return try use(connection)
    }

    private func take() throws(StoreFailure) -> Connection {
        // The most recently used connection has the most current pages in its cache.
        if let connection = idle.withLock({ $0.popLast() }) { return connection }
        return try Connection(path: path, lockWaitMillisecondsMax: lockWaitMillisecondsMax)
    }
}

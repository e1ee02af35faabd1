internal import Glibc
internal import Threads

/// Connections to one server, each used by one thread at a time. They are opened on demand, up to a
/// limit, and kept.
package final class PostgreSQLPool: @unchecked Sendable {
    // Unchecked Sendable: `idle` and `openCount` are only accessed while `lock` is held.

    private typealias Idle = (connection: PostgreSQLConnection, until: Deadline)

    /// How long a call waits for a connection that another one uses.
    private static let waitMillisecondsMax: Int64 = 2_000
    private static let connectMillisecondsMax: Int64 = 2_500
    /// Connections that were opened for a peak of load are closed after this time.
    private static let idleMillisecondsMax: Int64 = 300_000

    private let address: PostgreSQLAddress
    private let connectionsMax: Int
    private let authorities: @Sendable () -> String?
    private let lock = Lock()
    private let isFree = Condition()
    /// The most recently used one is at the end, and is used next.
    private var idle: [Idle] = []
    /// The number of connections, including connections in use and connections being opened.
    private var openCount = 0

    /// Opens nothing.
    ///
    /// - Parameter authorities: finds the file of trusted authorities, if the address has none.
    package init(
        _ address: PostgreSQLAddress, connectionsMax: Int,
        authorities: @escaping @Sendable () -> String?
    ) {
        self.address = address
        self.connectionsMax = connectionsMax
        self.authorities = authorities
    }

    /// Passes a connection to `body`. No other thread uses the connection in the meantime. The
    /// connection is kept if the outcome is known.
    package func withConnection<Result>(
        until deadline: Deadline,
        _ body: (PostgreSQLConnection) throws(PostgreSQLError) -> Result
    ) throws(PostgreSQLError) -> Result {
        let connection = try take(until: deadline)
        do throws(PostgreSQLError) {
            let result = try body(connection)
            put(connection)
            return result
        } catch {
            if case .failed = error { put(connection) } else { release() }
            throw error
        }
    }

    /// Closes the idle connections: after a failover, their server has become read-only.
    package func closeIdle() {
        let closed = lock.during {
            let closed = idle
            openCount -= idle.count
            idle = []
            isFree.broadcast()
            return closed
        }
        Self.close(closed)
    }

    private func take(until deadline: Deadline) throws(PostgreSQLError) -> PostgreSQLConnection {
        let waitEnd = deadline.orAfter(milliseconds: Self.waitMillisecondsMax)
        while true {
            guard let kept = try keptOrRoom(until: waitEnd) else { break }
            if kept.isOpen { return kept }
            release()
        }
        do throws(PostgreSQLError) {
            return try PostgreSQLConnection(
                address, authorities: address.needsAuthorities ? authorities() : nil,
                until: deadline.orAfter(milliseconds: Self.connectMillisecondsMax))
        } catch {
            release()
            throw error
        }
    }

    /// An idle connection; nil if the caller must open one, which is already in `openCount`. Waits
    /// while all connections are in use.
    private func keptOrRoom(until deadline: Deadline) throws(PostgreSQLError)
        -> PostgreSQLConnection?
    {
        lock.lock()
        defer { lock.unlock() }
        while true {
            if let kept = idle.popLast() { return kept.connection }
            if openCount < connectionsMax {
                openCount += 1
                return nil
            }
            guard deadline.millisecondsLeft > 0 else { throw .notConnected(.allInUse) }
            isFree.wait(lock, until: deadline.time)
        }
    }

    private func put(_ connection: PostgreSQLConnection) {
        let closed = lock.during {
            // The oldest are at the beginning.
            let closed = idle.prefix { $0.until.millisecondsLeft == 0 }
            idle.removeFirst(closed.count)
            openCount -= closed.count
            idle.append((connection, .after(milliseconds: Self.idleMillisecondsMax)))
            isFree.signal()
            return Array(closed)
        }
        Self.close(closed)
    }

    /// Called without the lock, because closing writes to the network.
    private static func close(_ connections: [Idle]) {
        withExtendedLifetime(connections) {}
    }

    /// Frees the place of a taken connection, which the caller drops.
    private func release() {
        lock.during {
            openCount -= 1
            isFree.signal()
        }
    }
}

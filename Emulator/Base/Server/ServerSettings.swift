internal import Glibc

/// The addresses on which a server listens.
package enum ServerInterface: Sendable, Equatable {
    /// 127.0.0.1.
    case loopback
    /// All addresses of 127.0.0.0/8, which only this machine can reach. If each client connects to
    /// an address of its own, one port is enough to tell clients apart.
    case wholeLoopback
    /// All addresses of the machine.
    case everywhere
}

/// Limits for clients.
package struct ServerLimits: Sendable, Equatable {
    /// The memory of a connection for the heads of a request and its response, and for
    /// libmicrohttpd's own data. A larger request head gets 431 (or 414).
    ///
    /// It is allocated for each connection from its first request on. 24 KB hold a request head and
    /// a response head of 10,240 bytes each, API Gateway's limit.
    package var connectionBytesMax: Int
    package var bodyBytesMax: Int
    package var connectionsMax: Int
    /// Idle connections are closed after this time; 0 means never.
    package var idleSecondsMax: Int
    /// The time from the request line to the end of the body.
    package var receiveSecondsMax: Int
    package var threads: Int

    package init(
        connectionBytesMax: Int = 24 << 10, bodyBytesMax: Int = 64 << 20,
        connectionsMax: Int = 20_000, idleSecondsMax: Int = 600, receiveSecondsMax: Int = 30,
        threads: Int = 2
    ) {
        self.connectionBytesMax = connectionBytesMax
        self.bodyBytesMax = bodyBytesMax
        self.connectionsMax = connectionsMax
        self.idleSecondsMax = idleSecondsMax
        self.receiveSecondsMax = receiveSecondsMax
        self.threads = threads
    }
}

package enum ServerFailure: Error, Sendable, Equatable {
    case portTaken(UInt16)
    case noSocket(code: Int32)
    /// libmicrohttpd does not report the reason. With an identity it is probably invalid.
    case notStarted
}

extension ServerFailure: CustomStringConvertible {
    package var description: String {
        switch self {
        case .portTaken(let port): "port \(port) is already in use"
        case .noSocket(let code): "no socket: \(String(cString: strerror(code)))"
        case .notStarted: "the server does not start"
        }
    }
}

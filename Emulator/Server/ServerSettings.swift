/// Where a server listens.
package enum ServerInterface: Sendable, Equatable {
    /// 127.0.0.1.
    case loopback
    /// All of 127.0.0.0/8, and nothing that does not come over the loopback device: one port whose
    /// clients can be told apart by the address that they were given.
    case wholeLoopback
    /// Every address of the machine.
    case everywhere
}

/// What clients may cost.
package struct ServerLimits: Sendable, Equatable {
    /// Each of a connection's request head and response head has to fit in here, with what
    /// libmicrohttpd keeps beside them: a head that does not is answered 431 (or 414).
    ///
    /// It is also what each connection costs from its first request on. 24 KB hold a request head
    /// and a response head of 10,240 bytes at once, the most that API Gateway lets through.
    package var connectionBytesMax: Int
    package var bodyBytesMax: Int
    package var connectionsMax: Int
    /// A connection that sends nothing for so long is closed; 0 is never.
    package var idleSecondsMax: Int
    /// From the first line of a request to the end of its body.
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
    /// libmicrohttpd does not say why. With an identity, that is likely the reason.
    case notStarted
}

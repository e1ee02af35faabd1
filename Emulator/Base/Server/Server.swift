internal import CHTTPServer
internal import Glibc
internal import Synchronization
internal import Threads

/// An HTTP/1.1 server, independent of the meaning of requests.
package final class Server: Sendable {
    private let core: ServerCore
    private let acceptor: Acceptor
    private let loops: [EventLoop]
    private let sweeper: TimeoutSweeper
    private let isStopped = Atomic<Bool>(false)

    /// The actual port, also if port 0 was requested.
    package let port: UInt16

    /// Creates a server. With an `identity` it accepts only TLS.
    ///
    /// `handler` runs on the server's few threads: slow work must respond from another thread.
    /// `tooLarge` responds to a request whose body is over the limit, from its head only.
    package init(
        _ interface: ServerInterface = .loopback, port: UInt16 = 0,
        identity: ServerIdentity? = nil, limits: ServerLimits = ServerLimits(),
        tooLarge: @escaping @Sendable (ServerRequest) -> ServerResponse = { _ in
            .refusal(413, "Request Entity Too Large")
        },
        handler: @escaping @Sendable (ServerRequest, ResponseSlot) -> Void
    ) throws(ServerFailure) {
        // Writing to a closed connection must not end the process.
        _ = signal(SIGPIPE, SIG_IGN)
        DescriptorLimit.raise()
        let core = ServerCore(
            identity: identity, limits: limits, tooLarge: tooLarge, handler: handler)
        let socket = try ListeningSocket.open(interface, port: port)
        let acceptor = Acceptor(socket.descriptor, connectionsMax: limits.connectionsMax)
        self.core = core
        self.acceptor = acceptor
        self.port = socket.port
        loops = try Self.start(core, acceptor)
        acceptor.serve(loops)
        sweeper = TimeoutSweeper(core)
    }

    private static func start(
        _ core: ServerCore, _ acceptor: Acceptor
    ) throws(ServerFailure) -> [EventLoop] {
        var loops: [EventLoop] = []
        do throws(ServerFailure) {
            for _ in 0..<max(1, core.limits.threads) {
                loops.append(try EventLoop(core, acceptor))
            }
        } catch {
            for loop in loops { loop.stop() }
            throw error
        }
        return loops
    }

    deinit { stop() }

    package var connectionCount: Int { core.connections.count }

    /// Stops accepting connections, waits for responses in progress, and closes.
    package func stop(graceMilliseconds: Int = 0) {
        guard !isStopped.exchange(true, ordering: .relaxed) else { return }
        for loop in loops { loop.quiesce() }
        core.streams.close()
        waitForAnswers(millisecondsMax: graceMilliseconds)
        sweeper.stop()
        core.suspensions.close()
        for exchange in core.suspensions.all {
            exchange.hungUp()
            exchange.answer(.response(.refusal(503, "Service Unavailable")))
        }
        // Another thread may be between its response and the resumption.
        while !core.suspensions.isEmpty { usleep(100) }
        // The daemons close open connections even if a response is not sent completely.
        waitForAnswers(millisecondsMax: Self.sendingMillisecondsMax)
        for loop in loops { loop.stop() }
        acceptor.close()
    }

    /// The time to send finished responses to clients.
    private static let sendingMillisecondsMax = 1000

    /// Waits until all requests have a response and all responses are sent.
    private func waitForAnswers(millisecondsMax: Int) {
        var left = millisecondsMax
        while left > 0, core.connections.areAnswering {
            usleep(1000)
            left -= 1
        }
    }
}

/// The context of the callbacks.
final class ServerCore: Sendable {
    let identity: ServerIdentity?
    let limits: ServerLimits
    let tooLarge: @Sendable (ServerRequest) -> ServerResponse
    let handler: @Sendable (ServerRequest, ResponseSlot) -> Void
    let connections: Connections
    let suspensions = SuspendedRequests()
    let streams = OpenStreams()

    init(
        identity: ServerIdentity?, limits: ServerLimits,
        tooLarge: @escaping @Sendable (ServerRequest) -> ServerResponse,
        handler: @escaping @Sendable (ServerRequest, ResponseSlot) -> Void
    ) {
        self.identity = identity
        connections = Connections(isSecure: identity != nil)
        self.limits = limits
        self.tooLarge = tooLarge
        self.handler = handler
    }
}

/// Periodically closes connections for which libmicrohttpd has no timeout: connections of slow
/// senders, and of clients that disconnect while a response is computed.
private final class TimeoutSweeper: Sendable {
    private let thread = Mutex<PosixThread?>(nil)
    private let isStopped = Atomic<Bool>(false)
    private let core: ServerCore

    private static let tickMicroseconds: UInt32 = 100_000
    private static let ticksPerSweep = 10
    /// If there are at most this many connections, they are checked at every tick; otherwise only
    /// at every sweep.
    private static let quickConnectionsMax = 256

    init(_ core: ServerCore) {
        self.core = core
        let thread = try? PosixThread { [self] in run() }
        self.thread.withLock { $0 = thread }
    }

    func stop() {
        isStopped.store(true, ordering: .relaxed)
        thread.withLock { $0.take() }?.join()
    }

    /// Memory is returned to the system if the number of connections has dropped below half of its
    /// peak, and the peak was at least this.
    private static let returnedConnectionsMin = 256

    private func run() {
        var tick = 0
        var peak = 0
        while !isStopped.load(ordering: .relaxed) {
            usleep(Self.tickMicroseconds)
            tick += 1
            let isSweep = tick % Self.ticksPerSweep == 0
            if isSweep {
                core.connections.sweep(core.limits)
                returnMemory(&peak)
            }
            if isSweep || core.connections.count <= Self.quickConnectionsMax {
                core.connections.repeatEnds()
            }
            for exchange in core.suspensions.all
            where exchange.isHeard && exchange.connection.hasHungUp { exchange.hungUp() }
            for reader in core.streams.all { reader.stream.endIfDeserted(by: reader.connection) }
        }
    }

    /// malloc keeps freed memory; thousands of clients leave hundreds of megabytes.
    private func returnMemory(_ peak: inout Int) {
        let count = core.connections.count
        peak = max(peak, count)
        guard peak >= Self.returnedConnectionsMin, count < peak / 2 else { return }
        peak = count
        malloc_trim(0)
    }
}

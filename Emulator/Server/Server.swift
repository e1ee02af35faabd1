package import EmulatorHTTP
internal import CHTTPServer
internal import Glibc
internal import Synchronization

/// An HTTP/1.1 server: requests in, responses out, no knowledge of what they mean.
package final class Server: Sendable {
    private let core: ServerCore
    private let acceptor: Acceptor
    private let loops: [EventLoop]
    private let sweeper: TimeoutSweeper
    private let isStopped = Atomic<Bool>(false)

    /// The port that it listens on, also when it was asked for port 0.
    package let port: UInt16

    /// With an `identity` it speaks TLS, and nothing else.
    ///
    /// `handler` runs on the server's few threads: what takes long answers its slot from another.
    /// `tooLarge` answers a request whose body is over the limit, of which only the head is shown.
    package init(
        _ interface: ServerInterface = .loopback, port: UInt16 = 0,
        identity: ServerIdentity? = nil, limits: ServerLimits = ServerLimits(),
        tooLarge: @escaping @Sendable (ServerRequest) -> ServerResponse = { _ in
            .refusal(413, "Request Entity Too Large")
        },
        handler: @escaping @Sendable (ServerRequest, ResponseSlot) -> Void
    ) throws(ServerFailure) {
        // A client that hangs up must not end us.
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

    /// Takes no more connections, waits for the answers that are under way, and closes.
    package func stop(graceMilliseconds: Int = 0) {
        guard !isStopped.exchange(true, ordering: .relaxed) else { return }
        for loop in loops { loop.quiesce() }
        waitForAnswers(millisecondsMax: graceMilliseconds)
        sweeper.stop()
        core.suspensions.close()
        for exchange in core.suspensions.all {
            exchange.hungUp()
            exchange.answer(.refusal(503, "Service Unavailable"))
        }
        // Another thread may be between its answer and the resumption.
        while !core.suspensions.isEmpty { usleep(100) }
        // The daemons close what is open, also where an answer is not sent yet.
        waitForAnswers(millisecondsMax: Self.sendingMillisecondsMax)
        for loop in loops { loop.stop() }
        acceptor.close()
    }

    /// As long as it takes to send what has been answered to clients who read it.
    private static let sendingMillisecondsMax = 1000

    /// Waits until every request that has come is answered, and every answer sent.
    private func waitForAnswers(millisecondsMax: Int) {
        var left = millisecondsMax
        while left > 0, core.connections.areAnswering {
            usleep(1000)
            left -= 1
        }
    }
}

/// What the callbacks need.
final class ServerCore: Sendable {
    let identity: ServerIdentity?
    let limits: ServerLimits
    let tooLarge: @Sendable (ServerRequest) -> ServerResponse
    let handler: @Sendable (ServerRequest, ResponseSlot) -> Void
    let connections: Connections
    let suspensions = SuspendedRequests()

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

/// Looks every so often after connections that libmicrohttpd does not look after: those that
/// dribble, and those that hang up, also while their answer is made.
private final class TimeoutSweeper: Sendable {
    private let thread = Mutex<ServerThread?>(nil)
    private let isStopped = Atomic<Bool>(false)
    private let core: ServerCore

    private static let tickMicroseconds: UInt32 = 100_000
    private static let ticksPerSweep = 10
    /// So many are looked at with every tick, more only with every sweep.
    private static let quickConnectionsMax = 256

    init(_ core: ServerCore) {
        self.core = core
        let thread = ServerThread { [self] in run() }
        self.thread.withLock { $0 = thread }
    }

    func stop() {
        isStopped.store(true, ordering: .relaxed)
        thread.withLock { $0 }?.join()
    }

    /// Memory is given back after so many connections have become less than half as many.
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
        }
    }

    /// The C library keeps what it has once had; thousands of clients leave hundreds of megabytes.
    private func returnMemory(_ peak: inout Int) {
        let count = core.connections.count
        peak = max(peak, count)
        guard peak >= Self.returnedConnectionsMin, count < peak / 2 else { return }
        peak = count
        malloc_trim(0)
    }
}

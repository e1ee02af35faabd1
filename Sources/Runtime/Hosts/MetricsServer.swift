internal import Bytes
internal import Glibc
internal import HTTP
internal import HTTPServer
internal import Synchronization
internal import Threads
internal import Time

/// Answers `GET /metrics` at a separate address (`METRICS_LISTEN`), on separate threads. It answers
/// even when all connections of the function's own address are in use, and metrics are not
/// available at that address.
final class MetricsServer: Sendable {
    let address: String
    private let server: Server
    private let isRunning = Atomic<Bool>(false)

    private static let path = "/metrics"
    private static let connectionsMax = 16
    private static let bytesHeldMax = 1 << 20
    private static let stopMilliseconds = 1_000

    init(_ listener: Listener, _ instruments: [any Instrument]) throws(ListenFailure) {
        self.address = listener.address
        var limits = ServerLimits()
        limits.connectionsMax = Self.connectionsMax
        limits.bytesHeldMax = Self.bytesHeldMax
        limits.stopTime = Self.stopMilliseconds
        server = try Server(
            [listener], limits: limits,
            responders: [Responder { _ in ServerResponse(status: 404) }], clock: .system,
            immediate: { Self.answer($0, instruments) })
    }

    func start() {
        isRunning.store(true, ordering: .relaxed)
        let isStarted = PosixThread.detached { [self] in
            _ = try? server.run()
            isRunning.store(false, ordering: .releasing)
        }
        if !isStarted { isRunning.store(false, ordering: .relaxed) }
    }

    /// Returns when the address is free again.
    func stop() {
        server.stop()
        for _ in 0..<Self.pollsMax where isRunning.load(ordering: .acquiring) {
            usleep(Self.pollMicroseconds)
        }
    }

    private static let pollMicroseconds: UInt32 = 2_000
    /// The total time is longer than the server may take to stop.
    private static let pollsMax = 1_000

    private static func answer(
        _ request: ReceivedRequest, _ instruments: [any Instrument]
    ) -> ServerResponse? {
        guard request.path.isSame(as: path) else { return nil }
        guard request.method.isSame(as: "GET") || request.method.isSame(as: "HEAD") else {
            return ServerResponse(status: 405, headers: [HTTPHeader("allow", "GET, HEAD")])
        }
        return ServerResponse(
            status: 200,
            headers: [
                HTTPHeader("content-type", OpenMetricsText.contentType),
                HTTPHeader("cache-control", "no-store"),
            ], body: OpenMetricsText.of(instruments))
    }
}

extension ServerCounters {
    var instruments: [any Instrument] {
        [
            Sampled(.gauge, "latchkey_http_connections", "Open connections.") {
                [([], self.connectionsOpen)]
            },
            Sampled(
                .counter, "latchkey_http_connections_accepted", "Accepted connections."
            ) { [([], self.connectionsAccepted)] },
            Sampled(
                .counter, "latchkey_http_connections_evicted",
                "Idle and unfinished connections closed to make room."
            ) { [([], self.connectionsEvicted)] },
            Sampled(.counter, "latchkey_http_requests", "Requests received completely.") {
                [([], self.requests)]
            },
            Sampled(
                .gauge, "latchkey_http_requests_in_flight",
                "Requests with a worker, or waiting for one."
            ) { [([], self.requestsInFlight)] },
            Sampled(
                .counter, "latchkey_http_refusals",
                "Requests that the server itself refused, by status.", labels: ["status"]
            ) { self.refusals.map { (["\($0.status)"], $0.count) } },
        ]
    }
}

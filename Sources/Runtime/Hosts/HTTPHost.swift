internal import Bytes
internal import Glibc
internal import HTTP
internal import HTTPServer
internal import JSON
internal import Synchronization
internal import Threads
internal import Time

/// Serves HTTP in this process, until SIGTERM or SIGINT: for a plain server, a container platform
/// or the mode `http` of of-watchdog.
struct HTTPHost {
    let handler: Handler
    let basePath: String
    let settings: ServerSettings
    let newRequestID: @Sendable () -> String
    let log: Log

    static let healthPath = "/_/health"
    static let readinessPath = "/_/ready"

    private static let notHTTP = "this function does not answer HTTP requests: it cannot listen"

    func run(at sockets: ServerSockets) throws(StartFailure) -> Int32 {
        guard case .request = handler.kind else { throw StartFailure(problems: [Self.notHTTP]) }
        let counters = sockets.metrics == nil ? nil : ServerCounters()
        do {
            let metrics = try metricsServer(sockets.metrics, counters)
            let isStopping = Flag()
            let names = sockets.listeners.map(\.address)
            let server = try Server(
                sockets.listeners, limits: settings.limits, responders: responders(isStopping),
                clock: .system, counters: counters, slow: slowRequests, immediate: Self.health)
            // This must be done before the first worker is started: otherwise a worker would get
            // the signals.
            StopSignals.watch { [log, isStopping] in
                isStopping.store(true)
                log.info(.stopping)
                server.stop()
            }
            for name in names { log.info(.listening, ["address": .failureDetail(name)]) }
            metrics?.start()
            if let metrics {
                log.info(.metricsListening, ["address": .failureDetail(metrics.address)])
            }
            defer { metrics?.stop() }
            let schedule = startSchedule()
            // `exit` must not be called while a thread runs: it would destroy objects that the
            // thread uses.
            switch try server.run() {
            case .finished:
                if schedule?.stop() == false { _exit(0) }
                return 0
            case .cutOff:
                log.error(.stoppedEarly)
                _exit(1)
            }
        } catch {
            throw StartFailure(problems: [error.message])
        }
    }

    /// Slow requests get at most half of the workers, so that other requests are still answered.
    private var slowRequests: SlowRequests? {
        handler.slow.map { slow in
            SlowRequests(atOnceMax: min(slow.atOnceMax(), max(1, settings.workers / 2))) {
                [basePath] received in
                let target = ServedRequest.target(of: received, basePath: basePath)
                guard slow.includes(target) else { return nil }
                return slow.client(
                    ServedRequest.decode(received, basePath: basePath, requestID: ""))
            }
        }
    }

    private func metricsServer(
        _ listener: Listener?, _ counters: ServerCounters?
    ) throws(ListenFailure) -> MetricsServer? {
        guard let listener, let counters else { return nil }
        let instruments =
            ProcessInstruments.all(start: WallClock.system.now()) + handler.metrics
            + counters.instruments
        return try MetricsServer(listener, instruments)
    }

    private func startSchedule() -> ScheduleThread? {
        guard handler.answersSchedule, let interval = settings.housekeepingInterval else {
            return nil
        }
        let handler = handler.another?(.schedule) ?? handler
        guard case .request(let respond) = handler.kind else { return nil }
        let schedule = ScheduleThread(every: interval) { [newRequestID] in
            let request = Request(form: .schedule, payload: [:], requestID: newRequestID())
            RequestScope.current.begin(request.requestID)
            _ = respond(request)
            handler.afterReply(nil)
            RequestScope.current.end()
        }
        if !schedule.start() { log.error(.scheduleNotStarted) }
        return schedule
    }

    /// Makes one responder for each worker.
    private func responders(_ isStopping: Flag) -> [Responder] {
        let readiness = Readiness { !isStopping.value && handler.isReady() }
        return (0..<settings.workers).map { index in
            let handler = index == 0 ? handler : handler.another?(.worker) ?? handler
            guard case .request(let respond) = handler.kind else {
                return Responder { _ in ServerResponse(status: 500) }
            }
            return Responder(
                answer: { received in
                    if Self.asks(received, for: Self.readinessPath) { return readiness.response }
                    let request = ServedRequest.decode(
                        received, basePath: basePath, requestID: newRequestID())
                    RequestScope.current.begin(
                        request.requestID, trace(of: received, request.requestID))
                    return ReplyEncoder.response(respond(request))
                },
                afterResponse: {
                    handler.afterReply(nil)
                    RequestScope.current.end()
                })
        }
    }

    /// The trace of the caller or of an AWS load balancer, or a new one.
    private func trace(of received: ReceivedRequest, _ requestID: String?) -> TraceContext? {
        let headers = received.headers
        return headers.onlyValue("traceparent").flatMap { TraceContext(traceparent: $0) }
            ?? headers.onlyValue("x-amzn-trace-id").flatMap { TraceContext(amazonHeader: $0) }
            ?? requestID.flatMap { TraceContext(newFrom: $0) }
    }

    /// These requests are answered without a worker, even while all workers wait for the store.
    private static func health(_ request: ReceivedRequest) -> ServerResponse? {
        asks(request, for: healthPath) ? .plain(200, "OK\n") : nil
    }

    private static func asks(_ request: ReceivedRequest, for path: String) -> Bool {
        request.path.isSame(as: path)
            && (request.method.isSame(as: "GET") || request.method.isSame(as: "HEAD"))
    }
}

private final class Flag: Sendable {
    private let state = Atomic<Bool>(false)

    var value: Bool { state.load(ordering: .relaxed) }

    func store(_ value: Bool) { state.store(value, ordering: .relaxed) }
}

/// Calls `isReady` at most once a second, and repeats the result in between.
private final class Readiness: Sendable {
    private let isReady: @Sendable () -> Bool
    private let latest = Mutex<(at: Instant, isReady: Bool)?>(nil)

    private static let age = Span.seconds(1)

    init(_ isReady: @escaping @Sendable () -> Bool) { self.isReady = isReady }

    var response: ServerResponse {
        let now = WallClock.system.now()
        let isReady = latest.withLock { latest in
            if let latest, latest.at <= now, now - latest.at < Self.age { return latest.isReady }
            let isReady = self.isReady()
            latest = (now, isReady)
            return isReady
        }
        return isReady ? .plain(200, "ready\n") : .plain(503, "not ready\n")
    }
}

extension ServerResponse {
    fileprivate static func plain(_ status: Int, _ text: String) -> ServerResponse {
        ServerResponse(
            status: status,
            headers: [
                HTTPHeader("content-type", "text/plain; charset=utf-8"),
                HTTPHeader("cache-control", "no-store"),
            ], body: Array(text.utf8))
    }
}

/// Handles SIGTERM and SIGINT on a separate thread: a signal handler may call hardly any function
/// (signal-safety(7)).
private enum StopSignals {
    static func watch(_ act: @escaping @Sendable () -> Void) {
        var signals = sigset_t()
        sigemptyset(&signals)
        sigaddset(&signals, SIGTERM)
        sigaddset(&signals, SIGINT)
        // All threads that are started from here on inherit this mask.
        pthread_sigmask(SIG_BLOCK, &signals, nil)
        PosixThread.detached { [signals] in
            var signals = signals
            while true {
                var number: Int32 = 0
                if sigwait(&signals, &number) == 0 { act() }
            }
        }
    }
}

extension LogEvent {
    static let listening = LogEvent("listening")
    static let metricsListening = LogEvent("metrics_listening")
    static let stopping = LogEvent("stopping")
    static let stoppedEarly = LogEvent("stopped_early")
    static let scheduleNotStarted = LogEvent("schedule_not_started")
}

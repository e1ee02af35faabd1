internal import Bytes
package import Cryptography
package import EmulatorBase
internal import Synchronization
package import Time

/// All functions: takes invocations by name and runs them, warm or cold.
package final class FunctionService: Sendable {
    package let settings: FunctionSettings
    package let records: InvocationRecords
    private let dispatch: DispatchContext
    private let registry = FunctionInstanceRegistry()
    private let runtimeServer: Server
    /// Names are ASCII (`isLegalName`), so `String` equality is byte equality.
    private let dispatchers = Mutex<[String: any InvocationDispatcher]>([:])
    private let running = Atomic<Int>(0)
    private let observers: InvocationObservers
    private let interception: InvocationInterception?

    package init(
        _ definitions: [FunctionConfiguration], settings: FunctionSettings,
        supervisor: ProcessSupervisor,
        clock: WallClock, random: RandomSource, sink: FunctionLogSink? = nil,
        observers: InvocationObservers = InvocationObservers(),
        interception: InvocationInterception? = nil
    ) throws(ServerFailure) {
        self.observers = observers
        self.interception = interception
        self.settings = settings
        records = InvocationRecords(recordsMax: settings.recordsMax, follow: observers.recorded)
        dispatch = DispatchContext(
            supervisor: supervisor, settings: settings, clock: clock,
            identifiers: Identifiers(random: random), records: records, sink: sink)
        let endpoint = RuntimeEndpoint(registry: registry)
        runtimeServer = try Server(
            .wholeLoopback, limits: RuntimeEndpoint.limits,
            tooLarge: { endpoint.tooLarge($0) }, handler: { endpoint.handle($0, $1) })
        replace(with: definitions)
    }

    deinit { stop() }

    /// 1 to 64 letters, digits, hyphens and underscores.
    package static func isLegalName(_ name: some StringProtocol) -> Bool {
        (1...64).contains(name.utf8.count)
            && name.utf8.allSatisfy { byte in
                byte.isLetterOrDigit || byte == 0x2D || byte == 0x5F
            }
    }

    /// The function definitions by name.
    package var definitions: [FunctionConfiguration] {
        dispatchers.withLock { $0.values.map(\.function) }.sorted { $0.name < $1.name }
    }

    package func definition(_ name: String) -> FunctionConfiguration? {
        dispatchers.withLock { $0[name] }?.function
    }

    package func arn(_ name: String) -> String { settings.arn(name) }

    /// New configurations apply to the next request; invocations in progress finish with the old
    /// ones.
    package func replace(with definitions: [FunctionConfiguration]) {
        var next: [String: any InvocationDispatcher] = [:]
        for definition in definitions where Self.isLegalName(definition.name) {
            let pool = WarmPool(
                definition, dispatch, registry: registry, authorityPort: runtimeServer.port)
            next[definition.name] =
                definition.mode == .cold
                ? ColdDispatcher(definition, dispatch, runtimeAPI: pool) : pool
        }
        let old = dispatchers.withLock { dispatchers in
            defer { dispatchers = next }
            return dispatchers
        }
        for dispatcher in old.values { dispatcher.drain() }
    }

    /// Invokes a function; `completion` is called once, on any thread, and must not block.
    package func invoke(
        _ name: String, _ request: InvocationRequest,
        completion: @escaping @Sendable (InvocationResult) -> Void
    ) {
        guard let interception, interception.isOn(), !request.isQuiet else {
            return submit(name, request, completion: completion)
        }
        let limit = definition(name)?.timeoutMilliseconds
        interception.handle(name, request, limit, completion) { [weak self] completion in
            self?.submit(name, request, completion: completion)
        }
    }

    private func submit(
        _ name: String, _ request: InvocationRequest,
        completion: @escaping @Sendable (InvocationResult) -> Void
    ) {
        let requestID = dispatch.identifiers.requestID()
        let now = dispatch.clock.now()
        let traceID = dispatch.identifiers.traceID(at: now, continuing: request.traceID)
        let end: @Sendable (InvocationResult) -> Void = { [observers] result in
            if case .throttled(let reason) = result.outcome, !request.isQuiet {
                observers.refused?(
                    RefusedInvocation(
                        function: name, requestID: requestID, traceID: traceID, at: now,
                        reason: reason))
            }
            completion(result)
        }
        guard let dispatcher = dispatchers.withLock({ $0[name] }) else {
            return end(InvocationResult(requestID: requestID, outcome: .unknownFunction))
        }
        guard running.add(1, ordering: .relaxed).newValue <= settings.concurrencyMax else {
            running.subtract(1, ordering: .relaxed)
            return end(
                InvocationResult(
                    requestID: requestID,
                    outcome: .throttled(reason: "ConcurrentInvocationLimitExceeded")))
        }
        dispatcher.submit(
            Invocation(
                requestID: requestID, request: request, traceID: traceID, submittedAt: now
            ) { [weak self, observers] result in
                self?.running.subtract(1, ordering: .relaxed)
                if !request.isQuiet {
                    observers.returned?(name, traceID, request.payload, result)
                }
                end(result)
            })
    }

    /// The trace of the invocation that opened the client's end of a connection: by its own process
    /// or, until it responds, by a program that the process has started. nil if no function opened
    /// it.
    package func trace(of connection: LocalSocket) -> String? {
        let cold = dispatchers.withLock { Array($0.values) }.compactMap { $0 as? ColdDispatcher }
        let activities = registry.activities + cold.flatMap(\.activities)
        if let owner = connection.owner(among: activities.map(\.pid)) {
            return activities[owner].traceID
        }
        let open = activities.filter(\.isOpen)
        return connection.ancestor(among: open.map(\.pid)).map { open[$0].traceID }
    }

    /// A request ID for a response without an invocation.
    package func newRequestID() -> String { dispatch.identifiers.requestID() }

    /// A timer on the supervisor's thread.
    func timer(_ action: @escaping @Sendable () -> Void) -> DeadlineTimer {
        dispatch.supervisor.timer(action)
    }

    package func stop() {
        let old = dispatchers.withLock { dispatchers in
            defer { dispatchers = [:] }
            return dispatchers
        }
        for dispatcher in old.values { dispatcher.stop() }
        runtimeServer.stop()
    }
}

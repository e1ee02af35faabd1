internal import JSON
internal import Synchronization
internal import Time

/// Starts a process for each event, over standard input and output.
final class ColdDispatcher: InvocationDispatcher {
    let function: FunctionConfiguration
    private let dispatch: DispatchContext
    private let running = Mutex<[String: ColdInvocation]>([:])
    /// The pool for a function that supports only the Runtime API.
    private let runtimeAPI: WarmPool

    init(_ function: FunctionConfiguration, _ dispatch: DispatchContext, runtimeAPI: WarmPool) {
        self.function = function
        self.dispatch = dispatch
        self.runtimeAPI = runtimeAPI
    }

    func submit(_ invocation: Invocation) {
        guard !runtimeAPI.isUsed else { return runtimeAPI.submit(invocation) }
        let run = ColdInvocation(
            function, invocation, dispatch,
            willSettle: { [weak self] in
                self?.running.withLock { _ = $0.removeValue(forKey: invocation.requestID) }
            },
            // The reference is not weak: the invocation must be completed even if this dispatcher
            // is released.
            didNotRead: { self.tryRuntimeAPI(invocation) })
        let isTaken = running.withLock { running in
            if let reserved = function.reservedConcurrency, running.count >= reserved {
                return false
            }
            running[invocation.requestID] = run
            return true
        }
        guard isTaken else {
            return dispatch.throttle(
                invocation, reason: "ReservedFunctionConcurrentInvocationLimitExceeded")
        }
        run.start()
    }

    /// The process of an invocation ended without reading its event, so nothing has happened yet.
    /// An ordinary Lambda runtime ends in this way if there is no Runtime API.
    private func tryRuntimeAPI(_ invocation: Invocation) {
        running.withLock { _ = $0.removeValue(forKey: invocation.requestID) }
        dispatch.sink?.write(function.name, invocation.requestID, Self.note)
        runtimeAPI.submit(invocation)
    }

    private static let note = Array(
        "the process ended without reading its event from standard input: trying the Runtime API\n"
            .utf8)[...]

    var activities: [FunctionActivity] {
        running.withLock { Array($0.values) }.compactMap(\.activity)
    }

    /// Running processes end by themselves.
    func drain() { runtimeAPI.drain() }

    func stop() {
        runtimeAPI.stop()
        for run in running.withLock({ Array($0.values) }) { run.kill() }
    }
}

/// One process for one event.
final class ColdInvocation: Sendable {
    private struct State: Sendable {
        var output: [UInt8] = []
        var isTooLarge = false
        var isSettled = false
        var process: ManagedProcess?
        var deadline: DeadlineTimer?
    }

    private let function: FunctionConfiguration
    private let invocation: Invocation
    private let dispatch: DispatchContext
    private let log: OutputLog
    /// Called before the caller gets the result, so that the caller's next call finds a free slot.
    private let willSettle: @Sendable () -> Void
    /// Called instead of settling if the process failed and had read nothing of the event.
    private let didNotRead: @Sendable () -> Void
    private let state = Mutex(State())

    init(
        _ function: FunctionConfiguration, _ invocation: Invocation, _ dispatch: DispatchContext,
        willSettle: @escaping @Sendable () -> Void, didNotRead: @escaping @Sendable () -> Void
    ) {
        self.willSettle = willSettle
        self.didNotRead = didNotRead
        self.function = function
        self.invocation = invocation
        self.dispatch = dispatch
        log = dispatch.outputLog(function)
        log.begin(invocation)
    }

    func start() {
        dispatch.noteStart(function, invocation)
        var environment = FunctionEnvironment.variables(
            function, dispatch.settings, instanceID: dispatch.identifiers.instanceID(),
            now: dispatch.clock.now(), authority: nil)
        environment.append(("_X_AMZN_TRACE_ID", invocation.traceID))
        let plan = ProcessConfiguration(
            function.command, environment: environment, directory: function.directory,
            input: invocation.request.payload,
            limits: ProcessLimits(residentBytesMax: UInt64(function.memoryMegabytes) << 20),
            output: { [weak self] in self?.take($0) }, error: { [log] in log.append($0) },
            ended: { self.ended($0) })
        let deadline = dispatch.supervisor.timer { [weak self] in self?.timedOut() }
        deadline.schedule(afterMilliseconds: function.timeoutMilliseconds)
        let process = dispatch.supervisor.start(plan)
        state.withLock {
            $0.process = process
            $0.deadline = deadline
        }
    }

    var activity: FunctionActivity? {
        state.withLock { $0.process }?.pid.map {
            FunctionActivity(pid: $0, traceID: invocation.traceID, isOpen: true)
        }
    }

    func kill() { state.withLock { $0.process }?.kill() }

    private func take(_ bytes: ArraySlice<UInt8>) {
        let isTooLarge = state.withLock { state in
            guard !state.isTooLarge else { return false }
            // One more byte for the newline.
            if state.output.count + bytes.count > FunctionLimits.responseBytesMax + 1 {
                state.isTooLarge = true
                state.output = []
                return true
            }
            state.output += bytes
            return false
        }
        if isTooLarge {
            kill()
            settle(.responseTooLarge)
        }
    }

    private func timedOut() {
        kill()
        let failure = FunctionFailure.late(
            state.withLock { $0.process }, function, milliseconds: function.timeoutMilliseconds)
        settle(failure)
    }

    private func ended(_ end: ProcessEnd) {
        var output = state.withLock { $0.output }
        if output.last == 0x0A { output.removeLast() }
        guard !end.hasReadInput, output.isEmpty, Self.isFailure(end.reason), claim() else {
            return finish(end, output)
        }
        didNotRead()
    }

    /// A failure of the process itself, not a kill by the emulator.
    private static func isFailure(_ reason: ProcessEnd.Reason) -> Bool {
        switch reason {
        case .status(let status): status != 0
        case .signal(let number): number != 9
        case .notStarted: false
        }
    }

    /// True for the first caller, which completes the invocation.
    private func claim() -> Bool {
        let (isFirst, deadline) = state.withLock { state in
            defer { state.isSettled = true }
            return (!state.isSettled, state.deadline)
        }
        deadline?.cancel()
        return isFirst
    }

    /// A failing function writes the error to standard output and exits with a non-zero status.
    private func finish(_ end: ProcessEnd, _ output: [UInt8]) {
        let bytes = end.residentBytesMax
        guard output.count <= FunctionLimits.responseBytesMax else {
            return settle(.responseTooLarge, residentBytes: bytes)
        }
        if end.reason == .status(0), !output.isEmpty {
            settle(.answered(output), residentBytes: bytes)
        } else if case .status = end.reason, Self.isErrorObject(output) {
            settle(.failed(output), residentBytes: bytes)
        } else {
            settle(.ended(end.reason, path: function.soughtPaths), residentBytes: bytes)
        }
    }

    private static func isErrorObject(_ output: [UInt8]) -> Bool {
        guard let object = try? JSON.parse(output, limits: .event) else { return false }
        return object["errorMessage"]?.stringValue != nil
    }

    private func settle(_ failure: FunctionFailure, residentBytes: Int64? = nil) {
        settle(
            .failed(failure.body(invocation.requestID)), failure, residentBytes: residentBytes)
    }

    private func settle(
        _ outcome: InvocationResult.Outcome, _ failure: FunctionFailure? = nil,
        residentBytes: Int64? = nil
    ) {
        guard claim() else { return }
        let process = state.withLock { $0.process }
        willSettle()
        CompletedInvocation(
            function: function, invocation: invocation, started: invocation.submitted,
            initDuration: nil, outcome: outcome, failure: failure,
            residentBytes: residentBytes ?? process?.residentBytesMax ?? 0, output: log.take()
        ).settle(dispatch)
    }
}
